import { pattern, type Reader } from "./reader.js";

/** `[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}` */
export type Id = string;
/** `sha256:` and 64 lower-case hexadecimal digits. */
export type Digest = string;
/** RFC 3339 in UTC with exactly three decimals: one spelling an instant, and text order is time order. */
export type Instant = string;

export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
export const DIGEST_PATTERN = /^sha256:[0-9a-f]{64}$/;
export const INSTANT_PATTERN =
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;

export const id: Reader<Id> = pattern(ID_PATTERN, "an id ([A-Za-z0-9][A-Za-z0-9_.:-]{0,127})");
export const digest: Reader<Digest> = pattern(DIGEST_PATTERN, "a digest (sha256:<64 hex digits>)");
export const instant: Reader<Instant> = pattern(
  INSTANT_PATTERN,
  "an instant (YYYY-MM-DDTHH:MM:SS.mmmZ)",
);
export const base64: Reader<string> = pattern(
  // RFC 4648 3.5: bits that no byte takes are zero, so that the same bytes have one spelling.
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/,
  "standard base64",
);
