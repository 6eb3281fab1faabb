import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Passwords of a stand-in are random and long, so that one salted SHA-256 does; an appliance uses
 * bcrypt, which takes a good part of a second and would be most of an acceptance run.
 */
const FORM = /^sha256\$([0-9a-f]{32})\$([0-9a-f]{64})$/;

export const isHashedPassword = (text: string): boolean => FORM.test(text);

/** @param entropy of which the first 16 bytes are the salt */
export const hashPassword = (password: string, entropy: Uint8Array): string => {
  const salt = Buffer.from(entropy.subarray(0, 16)).toString("hex");
  return `sha256$${salt}$${digest(salt, password)}`;
};

export const isPassword = (password: string, hashed: string): boolean => {
  const [, salt = "", expected = ""] = FORM.exec(hashed) ?? [];
  const actual = digest(salt, password);
  return (
    expected.length === actual.length && timingSafeEqual(Buffer.from(expected), Buffer.from(actual))
  );
};

const digest = (salt: string, password: string): string =>
  createHash("sha256").update(salt).update("\0").update(password).digest("hex");
