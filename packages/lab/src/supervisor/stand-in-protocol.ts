import * as z from "zod/mini";
import { json } from "./parse-line.js";

const stored = z.array(z.record(z.string(), json));
const pem = z.string().check(z.maxLength(64 * 1024));

/** What a stand-in is started with. Passwords and keys come as their hashes. */
export const standInJob = z.strictObject({
  address: z.ipv4(),
  port: z.int().check(z.minimum(1), z.maximum(65_535)),
  name: z.string(),
  identity: z.strictObject({ caCertificatePem: pem, certificatePem: pem, keyPem: pem }),
  stateDirectory: z.string(),
  configuration: z.strictObject({ users: stored, keys: stored, aliases: stored }),
});
export type StandInJob = z.output<typeof standInJob>;

/** Told first. */
export const standInReady = z.strictObject({ ready: z.literal(true) });

export const standInAnswer = z.union([
  z.strictObject({ id: z.int(), ok: json }),
  z.strictObject({
    id: z.int(),
    error: z.strictObject({ code: z.string(), message: z.string() }),
  }),
]);
