import { CONTRACT_STATES } from "@drydock/acceptance";
import * as z from "zod/mini";
import type { Scan } from "../report/index.js";
import { scenarioReportShape, unexpectedShape } from "../scenario/index.js";
import { MAX_DEADLINE_MS, MAX_REPEAT } from "./bounds.js";
import { code } from "./code.js";
import { END_CAUSES, type RehearsalEvent, type SupervisedExit } from "./model.js";
import { parseLine } from "./parse-line.js";

const count = z.int().check(z.minimum(0));
const text = z.string().check(z.maxLength(256));

/** More than there are scenarios. */
const MAX_NAMES = 256;
const path = z.string().check(z.regex(/^\/[^\0]{0,4095}$/));

const MAX_DIRECTORIES = 8;

/** What whoever started it may say. */
const starterLine = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("stop") }),
  z.strictObject({
    type: z.literal("search"),
    directories: z.array(path).check(z.maxLength(MAX_DIRECTORIES)),
  }),
]);
export type StarterLine = z.output<typeof starterLine>;

/** @throws DrydockError LAB_LINE */
export const parseStarterLine = (line: Uint8Array): StarterLine => parseLine(starterLine, line);

/** What a supervisor is started with. */
export const supervisorJob = z.strictObject({
  /** The network namespace of whoever starts it, in which no stand-in is made. */
  starter: text,
  directory: path,
  seed: count,
  scenarios: z.nullable(z.array(text).check(z.maxLength(MAX_NAMES))),
  repeat: z.int().check(z.minimum(1), z.maximum(MAX_REPEAT)),
  deadlineMs: z.int().check(z.minimum(1), z.maximum(MAX_DEADLINE_MS)),
  isSearched: z.boolean(),
});
export type SupervisorJob = z.output<typeof supervisorJob>;

/** As a file, and as it is told. */
export const supervisedExit: z.ZodMiniType<SupervisedExit> = z.strictObject({
  permissionRevoked: z.boolean(),
  readOnlyConfirmed: z.boolean(),
  cause: z.enum(END_CAUSES),
  unexpected: z.nullable(unexpectedShape),
  interrupted: z.nullable(text),
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

/** How many sightings are told: the first say enough. */
export const MAX_SIGHTINGS = 64;

/** The last thing that a supervisor says, when it was asked; null when it couldn't search. */
export interface Searched {
  readonly type: "searched";
  readonly scan: Scan | null;
}

const searched: z.ZodMiniType<Searched> = z.strictObject({
  type: z.literal("searched"),
  scan: z.nullable(
    z.strictObject({
      ...{ files: count, bytes: count, values: count },
      found: z
        .array(
          z.strictObject({
            file: z.string().check(z.maxLength(4096)),
            value: text,
            encoding: z.enum(["plain", "utf-16", "hex", "base64", "base32"]),
            layer: z.enum(["none", "percent", "lines", "json", "html"]),
          }),
        )
        .check(z.maxLength(MAX_SIGHTINGS)),
    }),
  ),
});

const supervisorLine: z.ZodMiniType<RehearsalEvent | Searched> = z.union([event, searched]);

/** @throws DrydockError LAB_LINE */
export const parseSupervisorLine = (line: Uint8Array): RehearsalEvent | Searched =>
  parseLine(supervisorLine, line);
