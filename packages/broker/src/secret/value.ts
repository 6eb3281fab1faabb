import { DrydockError } from "@drydock/evidence";
import { MAX_CANARY_LENGTH, MIN_CANARY_LENGTH } from "../canary/index.js";

/**
 * Reads a secret out of a file's bytes; one line break at the end isn't part of it.
 *
 * Only what can stand in a field (RFC 9110 §5.5, visible ASCII) is a secret, and only what is long
 * enough to be told from chance in a response.
 *
 * @throws DrydockError SECRET_VALUE. The message holds no byte of the value.
 */
export const readSecretValue = (name: string, bytes: Uint8Array): string => {
  const value = Buffer.from(bytes)
    .toString("latin1")
    .replace(/\r?\n$/, "");
  if (/^[\x21-\x7e]+$/.test(value) && isSearchable(value.length)) return value;
  throw new DrydockError("SECRET_VALUE", `the file of secret ${name} doesn't hold one`, {
    fix: `Keep ${MIN_CANARY_LENGTH} to ${MAX_CANARY_LENGTH} visible ASCII characters in it, on one line.`,
  });
};

const isSearchable = (length: number): boolean =>
  length >= MIN_CANARY_LENGTH && length <= MAX_CANARY_LENGTH;
