import { Buffer } from "node:buffer";
import { DrydockError, type JsonValue, parseJson } from "@drydock/evidence";
import * as z from "zod/mini";
import type { Endpoint } from "../../transport/index.js";
import type { KillPoint } from "../model.js";
import type { HandedStore } from "../world.js";

/** What a worker is told: one step of one contract, and where its process ends. */
export interface WorkerJob {
  readonly step: "execute" | "rollback";
  readonly contractId: string;
  readonly intent: JsonValue;
  readonly killAt: KillPoint;
  readonly store: Omit<HandedStore, "scenario" | "key"> & { readonly key: string };
  /** Keys in Base64. */
  readonly artifactKey: string;
  readonly endpoint: Endpoint;
  readonly apiKey: string;
  /** By how many milliseconds the scenario's clock is ahead. */
  readonly aheadMs: number;
}

/** Far more than a job with a long certificate takes. */
export const MAX_JOB_BYTES = 256 * 1024;

const text = z.string().check(z.maxLength(4096));
const key = z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=$/));
const path = z.string().check(z.regex(/^\/[^\0]{1,4095}$/));
const ms = z.int().check(z.minimum(0));

const job: z.ZodMiniType<WorkerJob> = z.strictObject({
  step: z.enum(["execute", "rollback"]),
  contractId: text,
  intent: z.json() as z.ZodMiniType<JsonValue>,
  killAt: z.strictObject({
    point: z.enum(["beforeTransaction", "afterRecordWrite", "beforeCommit", "afterCommit"]),
    write: text,
  }),
  store: z.strictObject({ directory: path, anchorDirectory: path, storeId: text, key }),
  artifactKey: key,
  endpoint: z.strictObject({
    address: text,
    port: z.int().check(z.minimum(1), z.maximum(65_535)),
    host: text,
    ca: z.nullable(z.string().check(z.maxLength(64 * 1024))),
    deadlines: z.strictObject({ connectMs: ms, answerMs: ms }),
  }),
  apiKey: text,
  aheadMs: z.int(),
});

/** @throws DrydockError LAB_WORKER */
export const parseJob = (bytes: Uint8Array): WorkerJob => {
  const parsed = z.safeParse(job, parseJson(bytes, { maxBytes: MAX_JOB_BYTES }));
  if (parsed.success) return parsed.data;
  throw new DrydockError("LAB_WORKER", "what a worker was told is no job of this version", {
    fix: "Build again: its starter is of another version.",
  });
};

export const keyText = (key: Buffer): string => key.toString("base64");
export const keyFrom = (text: string): Buffer => Buffer.from(text, "base64");
