import type { Digest, JsonValue } from "@drydock/evidence";
import * as z from "zod/mini";
import { type ConsoleAnswer, scenarioReportShape, unexpectedShape } from "../scenario/index.js";
import { code } from "./code.js";
import { json, parseLine, parseValue } from "./parse-line.js";

const text = z.string().check(z.maxLength(256));
const path = z.string().check(z.regex(/^\/[^\0]{1,4095}$/));
const count = z.int().check(z.minimum(0));

/** What a harness is started with: the lab's key, and nothing that could take it away. */
export const harnessJob = z.strictObject({
  labKey: text,
  candidate: text,
  appliance: z.strictObject({
    address: z.ipv4(),
    port: z.int().check(z.minimum(1), z.maximum(65_535)),
    name: text,
    ca: z.string().check(z.maxLength(64 * 1024)),
  }),
  /** Of the link that the appliance's address is on. */
  proxyAddress: z.ipv4(),
  directory: path,
  seed: count,
  scenarios: z.nullable(z.array(text)),
  repeat: count,
  /** From its start on; then no mutation passes the fault proxy. */
  mutationsForMs: count,
});
export type HarnessJob = z.output<typeof harnessJob>;

const id = z.int().check(z.minimum(1));
const digest = z.custom<Digest>(
  (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value),
);

const method = z.enum(["GET", "POST", "PATCH", "PUT", "DELETE"]);

/** @throws DrydockError LAB_LINE */
export const methodOf = (name: string): z.output<typeof method> => parseValue(method, name);

/** What is done to the appliance from outside is done by the supervisor, if at all. */
const ask = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("snapshot") }),
  z.strictObject({ do: z.literal("restore"), digest }),
  z.strictObject({ do: z.literal("damage-history") }),
  z.strictObject({ do: z.literal("duplicate-alias"), name: text }),
  z.strictObject({
    do: z.literal("console"),
    method,
    path: text,
    data: json,
  }),
  z.strictObject({
    do: z.literal("hand-over"),
    scenario: text,
    directory: path,
    anchorDirectory: path,
    storeId: text,
    /** 32 bytes or more. */
    key: z.string().check(z.regex(/^(?:[0-9a-f]{2}){32,64}$/)),
  }),
]);
export type Ask = z.output<typeof ask>;

const harnessLine = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ask"), id, ask }),
  z.strictObject({ type: z.literal("scenario"), report: scenarioReportShape }),
  z.strictObject({ type: z.literal("played"), unexpected: z.nullable(unexpectedShape) }),
]);
export type HarnessLine = z.output<typeof harnessLine>;

/** @throws DrydockError LAB_LINE */
export const parseHarnessLine = (line: Uint8Array): HarnessLine => parseLine(harnessLine, line);

const answer = z.union([
  z.strictObject({ id, ok: json }),
  z.strictObject({ id, error: z.strictObject({ code, message: z.string() }) }),
]);
export type Answer =
  | { readonly id: number; readonly ok: JsonValue }
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } };

/** @throws DrydockError LAB_LINE */
export const parseAnswer = (line: Uint8Array): Answer => parseLine(answer, line);

const view = z.strictObject({
  digest,
  configuration: z.looseObject({ aliases: z.array(z.record(z.string(), json)) }),
});

const consoleAnswer: z.ZodMiniType<ConsoleAnswer | null> = z.nullable(
  z.strictObject({ status: z.int(), body: z.record(z.string(), json) }),
);

/** @throws DrydockError LAB_LINE */
export const parseConsoleAnswer = (value: JsonValue): ConsoleAnswer | null =>
  parseValue(consoleAnswer, value);

/** @throws DrydockError LAB_LINE */
export const parseView = (value: JsonValue) => parseValue(view, value);
