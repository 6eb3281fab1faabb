import { DrydockError, parseJson } from "@drydock/evidence";
import * as z from "zod/mini";
import { PHASES } from "../arming/model.js";
import { armingShape } from "../arming/schema.js";
import { type ExchangeRecord, OUTCOMES } from "../http/model.js";
import { PATH_TEMPLATE } from "../http/path-template.js";

/** Certificates and keys are some kilobytes, and an authority's bundle some more. */
export const MAX_LINE_BYTES = 256 * 1024;
const MAX_PEM_LENGTH = 64 * 1024;
const MAX_PATHS = 256;
const MAX_TEMPLATE_LENGTH = 256;

const pem = z.string().check(z.minLength(1), z.maxLength(MAX_PEM_LENGTH));
const host = z.union([z.ipv4(), z.ipv6()]);
const port = z.int().check(z.minimum(0), z.maximum(65_535));
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const name = z
  .string()
  .check(z.maxLength(253), z.regex(new RegExp(`^(?:${label}\\.)*${label}$`), "is no DNS name"));

export const startShape = z.strictObject({
  listen: z.strictObject({ host, port }),
  upstream: z.strictObject({
    host,
    port: port.check(z.minimum(1)),
    tls: z.nullable(z.strictObject({ ca: pem, serverName: z.nullable(name) })),
  }),
  tls: z.nullable(z.strictObject({ certificate: pem, key: pem })),
  paths: z
    .array(z.string().check(z.maxLength(MAX_TEMPLATE_LENGTH), z.regex(PATH_TEMPLATE)))
    .check(z.maxLength(MAX_PATHS)),
  /** From now, in milliseconds; the proxy counts on a clock that nobody sets. */
  mutationsForMs: z.nullable(z.int().check(z.minimum(0))),
  beyondLoopback: z.strictObject({ listen: z.boolean(), upstream: z.boolean() }),
});
export type StartCommand = z.infer<typeof startShape>;

const id = z.int().check(z.minimum(1));

const command = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("start"), id, options: startShape }),
  z.strictObject({ type: z.literal("arm"), id, name: z.string(), arming: armingShape }),
  z.strictObject({ type: z.literal("disarm"), id }),
  z.strictObject({ type: z.literal("begin"), id, operation: z.enum(["forward", "rollback"]) }),
  z.strictObject({
    type: z.literal("deadline"),
    id,
    mutationsForMs: z.int().check(z.minimum(0)),
  }),
  /** Answered after every record of before. */
  z.strictObject({ type: z.literal("sync"), id }),
  z.strictObject({ type: z.literal("stop"), id }),
]);
export type Command = z.infer<typeof command>;

const count = z.int().check(z.minimum(0));
const kind = z.enum([
  "pass",
  "reset-before",
  "reset-upload",
  "drop-response",
  "truncate-response",
  "delay",
  "timeout",
  "duplicate",
]);
const record: z.ZodMiniType<ExchangeRecord> = z.strictObject({
  seq: id,
  phase: z.enum(PHASES),
  method: z.string(),
  path: z.string(),
  status: z.nullable(count),
  atMs: count,
  durationMs: z.nullable(count),
  delivered: z.enum(["proven", "possibly", "proven-not"]),
  copies: count,
  outcome: z.enum(OUTCOMES),
  fault: z.nullable(
    z.strictObject({ arming: z.string(), kinds: z.array(kind), took: z.array(kind) }),
  ),
});

const told = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready"), id, host, port }),
  z.strictObject({ type: z.literal("done"), id }),
  z.strictObject({
    type: z.literal("failed"),
    id,
    code: z.string(),
    message: z.string(),
    fix: z.nullable(z.string()),
  }),
  z.strictObject({ type: z.literal("record"), record }),
]);
export type Told = z.infer<typeof told>;

/** @throws DrydockError CONTROL_MALFORMED */
export const parseCommand = (line: Uint8Array): Command => parse(command, line);

/** @throws DrydockError CONTROL_MALFORMED */
export const parseTold = (line: Uint8Array): Told => parse(told, line);

const parse = <T>(schema: z.ZodMiniType<T>, line: Uint8Array): T => {
  const parsed = z.safeParse(schema, jsonOf(line));
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const why = first === undefined ? "" : `${first.path.join(".")}: ${first.message}`;
  throw malformed(why, parsed.error);
};

const jsonOf = (line: Uint8Array): unknown => {
  try {
    return parseJson(line, { maxBytes: MAX_LINE_BYTES });
  } catch (cause) {
    throw malformed("no JSON", cause);
  }
};

const malformed = (why: string, cause: unknown): DrydockError =>
  new DrydockError("CONTROL_MALFORMED", `no message of this protocol: ${why}`, {
    fix: "Both ends have to be of one version.",
    cause,
  });
