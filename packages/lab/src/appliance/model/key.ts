import { createHash } from "node:crypto";
import type { Stored } from "../configuration/index.js";
import { integer, type Model, remark, text } from "../field/index.js";

/** Hash of a key, by the algorithm that its entry names. */
export const hashKey = (algorithm: string, key: string): string =>
  createHash(algorithm).update(key).digest("hex");

/**
 * A key has its user's privileges, and no expiry and no read-only flag of its own. Only its hash is
 * kept: it is shown once, in the answer to its creation.
 */
export const keyModel: Model = {
  list: "keys",
  names: ["REST API Key", "REST API Keys"],
  subsystem: null,
  alwaysApply: true,
  fields: [
    remark("descr", { maxLength: 128 }),
    text("username", { automatic: { renewed: false, value: ({ client }) => client.username } }),
    text("hash_algo", { fallback: "sha256", choices: ["sha256", "sha384", "sha512"] }),
    integer("length_bytes", { fallback: 24, choices: [16, 24, 32, 64] }),
    text("hash", { allowNull: true, sensitive: true }),
  ],
};

/** The key of an entry that is made now, and the entry with its hash. */
export const issueKey = (entry: Stored, entropy: Uint8Array): { key: string; entry: Stored } => {
  const key = Buffer.from(entropy.subarray(0, Number(entry["length_bytes"]))).toString("hex");
  return { key, entry: { ...entry, hash: hashKey(String(entry["hash_algo"]), key) } };
};
