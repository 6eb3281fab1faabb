import { type SigningKey, signingKeyFromSeed } from "../keys/key.js";

/** Keys for tests: the same name gives the same key. */
export const testKey = (name: string): SigningKey =>
  signingKeyFromSeed(Buffer.from(name.padEnd(32, ".").slice(0, 32), "utf8"));
