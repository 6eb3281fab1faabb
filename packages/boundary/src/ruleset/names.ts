import { quote } from "@drydock/evidence";
import { refuse } from "./refuse.js";

/**
 * IFNAMSIZ is 16 with the final NUL. Letters, digits, dot, dash and underscore only: an asterisk at
 * the end would be a wildcard to nft, and nothing here needs more.
 */
const INTERFACE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/;
/** Without dash, dot and slash, so that no name can be read as an expression. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** NFTNL_UDATA_COMMENT_MAXLEN is 128. Inside quotes nft knows no escape, so `"` and `\` can't be. */
const COMMENT = /^(?! )[\x20\x21\x23-\x5b\x5d-\x7e]{1,128}(?<! )$/;
const MAC = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/;

export const isInterfaceName = (name: string): boolean => INTERFACE.test(name);

export const isIdentifier = (name: string): boolean => IDENTIFIER.test(name);

export const isComment = (text: string): boolean => COMMENT.test(text);

export const isMac = (text: string): boolean => MAC.test(text);

/**
 * A guard: the one place where text goes into a transaction between quotes.
 *
 * @throws DrydockError RULESET_INVALID
 */
export const quoteName = (name: string): string =>
  isInterfaceName(name) ? `"${name}"` : refuse(`${quote(name)} is no interface name`);

/** @throws DrydockError RULESET_INVALID */
export const quoteComment = (text: string): string =>
  isComment(text)
    ? `"${text}"`
    : refuse(`${quote(text)} is no comment: 1 to 128 printable ASCII characters, no quote`);

/** @throws DrydockError RULESET_INVALID */
export const identifier = (name: string): string =>
  isIdentifier(name) ? name : refuse(`${quote(name)} is no name of a table or chain`);
