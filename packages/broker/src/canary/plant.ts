import type { Canary } from "./canary.js";

/** Like a key of some service: 40 letters and digits, about 238 bits. */
const CANARY_LENGTH = 40;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Fresh values for one run, one for each id.
 * @param random gives that many random bytes.
 */
export const freshCanaries = (
  ids: readonly string[],
  random: (length: number) => Uint8Array,
): readonly Canary[] =>
  ids.map((id) => {
    let value = "";
    while (value.length < CANARY_LENGTH) {
      // 248 is the last multiple of 62 in a byte: what lies beyond would favour the first letters.
      for (const byte of random(CANARY_LENGTH)) {
        if (byte < 248 && value.length < CANARY_LENGTH) value += ALPHABET[byte % 62];
      }
    }
    return { id, value };
  });
