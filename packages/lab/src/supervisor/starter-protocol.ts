import { CONTRACT_STATES } from "@drydock/acceptance";
import * as z from "zod/mini";
import { scenarioReportShape, unexpectedShape } from "../scenario/index.js";
import { code } from "./code.js";
import { END_CAUSES, type RehearsalEvent, type SupervisedExit } from "./model.js";
import { parseLine } from "./parse-line.js";

const count = z.int().check(z.minimum(0));
const text = z.string().check(z.maxLength(256));

/** Bounds of what a rehearsal is asked for. A day is more than the slowest machine takes. */
const MAX_REPEAT = 1_000;
export const MAX_DEADLINE_MS = 24 * 3_600_000;
const MAX_NAMES = 256;

/** What a supervisor is started with. */
export const supervisorJob = z.strictObject({
  /** The network namespace of whoever starts it, in which no stand-in is made. */
  starter: text,
  directory: z.string().check(z.regex(/^\/[^\0]{0,4095}$/)),
  seed: count,
  scenarios: z.nullable(z.array(text).check(z.maxLength(MAX_NAMES))),
  repeat: z.int().check(z.minimum(1), z.maximum(MAX_REPEAT)),
  deadlineMs: z.int().check(z.minimum(1), z.maximum(MAX_DEADLINE_MS)),
});
export type SupervisorJob = z.output<typeof supervisorJob>;

/** As a file, and as it is told. */
export const supervisedExit: z.ZodMiniType<SupervisedExit> = z.strictObject({
  permissionRevoked: z.boolean(),
  readOnlyConfirmed: z.boolean(),
  cause: z.enum(END_CAUSES),
  unexpected: z.nullable(unexpectedShape),
  contracts: z.array(
    z.strictObject({
      scenario: text,
      contractId: text,
      state: z.enum(CONTRACT_STATES),
      interrupted: z.boolean(),
    }),
  ),
  unreadable: z.array(z.strictObject({ scenario: text, code })),
  applianceAsBefore: z.nullable(z.boolean()),
  destroyed: z.boolean(),
  dateExpiry: z.literal("unsupported"),
  revocationMs: count,
});

const event: z.ZodMiniType<RehearsalEvent> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("began"), planned: count, digest: text }),
  z.strictObject({ type: z.literal("scenario"), report: scenarioReportShape }),
  z.strictObject({ type: z.literal("exit"), report: supervisedExit }),
]);

/** @throws DrydockError LAB_LINE */
export const parseEvent = (line: Uint8Array): RehearsalEvent => parseLine(event, line);
