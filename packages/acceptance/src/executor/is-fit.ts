import { canonicalise, type JsonObject, parseJson } from "@drydock/evidence";
import { canonicalBytes } from "../canonical/index.js";

const MAX_LOCATOR = 2 ** 31 - 1;

/**
 * Whether a contract can hold the target: its number is one, and its canonical form is all of it.
 * What that form would change, text that isn't in NFC, a rollback couldn't bring back.
 */
export const isFit = (target: JsonObject, locator: number): boolean =>
  Number.isInteger(locator) &&
  locator >= 0 &&
  locator <= MAX_LOCATOR &&
  canonicalise(parseJson(canonicalBytes(target))) === canonicalise(target);
