import { sha256 } from "@drydock/evidence";

/** NFTNL_UDATA_COMMENT_MAXLEN less the terminating zero. */
const MAX_IDENTITY_BYTES = 127;

/** Printable ASCII but for what nft's grammar ends a quoted string with. */
const QUOTABLE = /^[ !#-[\]-~]*$/;

const hexOf = (text: string, digits: number): string =>
  sha256(Buffer.from(text, "utf8")).toString("hex").slice(0, digits);

/** A chain about one thing, whose own name nft's grammar wouldn't take. */
export const chainName = (role: "from" | "to" | "owner", ...of: readonly string[]): string =>
  `${role}_${hexOf(of.join("\n"), 12)}`;

/**
 * A rule's identity from its parts. What doesn't fit a comment keeps its beginning, for whoever
 * reads it, and ends in a hash of the whole, which keeps it unique.
 */
export const identityOf = (...parts: readonly (string | number)[]): string => {
  const whole = parts.join("/");
  if (Buffer.byteLength(whole) <= MAX_IDENTITY_BYTES && QUOTABLE.test(whole)) return whole;
  const legible = whole.replace(/[^ !#-[\]-~]/g, "?").slice(0, MAX_IDENTITY_BYTES - 17);
  return `${legible}#${hexOf(whole, 16)}`;
};
