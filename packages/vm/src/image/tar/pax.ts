import { imageError, quote } from "../errors.js";

/** What extended headers may change about the next entry. */
export interface PaxOverrides {
  path?: string;
  linkpath?: string;
  size?: number;
  uid?: number;
  gid?: number;
  mtime?: number;
  /** Extended attributes that were given and are not kept. */
  droppedAttributes: number;
}

const IGNORED_KEYS = new Set([
  "atime",
  "ctime",
  "uname",
  "gname",
  "comment",
  "LIBARCHIVE.creationtime",
]);
const ATTRIBUTE_PREFIXES = ["SCHILY.xattr.", "LIBARCHIVE.xattr."];

/**
 * Parses the records of a pax extended header (POSIX.1-2017 pax, "pax Extended Header"). A key
 * that this reader does not know is refused, because ignoring it may change what the entry means.
 */
export const parsePax = (body: Buffer): PaxOverrides => {
  const overrides: PaxOverrides = { droppedAttributes: 0 };
  const seen = new Set<string>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const digits = space === -1 ? "" : body.toString("latin1", at, space);
    const length = Number(digits);
    const end = at + length;
    if (
      !/^[1-9][0-9]{0,6}$/.test(digits) ||
      end > body.length ||
      body[end - 1] !== 0x0a ||
      end <= space
    ) {
      throw imageError("IMAGE_FORMAT", "a pax header has a record of a wrong length");
    }
    const equals = body.indexOf(0x3d, space);
    if (equals === -1 || equals >= end) {
      throw imageError("IMAGE_FORMAT", 'a pax header has a record without "="');
    }
    const key = body.toString("utf8", space + 1, equals);
    if (seen.has(key)) throw imageError("IMAGE_FORMAT", `a pax header repeats ${quote(key)}`);
    seen.add(key);
    apply(overrides, key, body.toString("utf8", equals + 1, end - 1));
    at = end;
  }
  return overrides;
};

const apply = (overrides: PaxOverrides, key: string, value: string): void => {
  switch (key) {
    case "path":
    case "linkpath":
      if (value === "" || value.includes("\0")) {
        throw imageError("IMAGE_PATH", `a pax header has the ${key} ${quote(value)}`);
      }
      overrides[key] = value;
      return;
    case "size":
    case "uid":
    case "gid":
      overrides[key] = wholeNumber(key, value);
      return;
    case "mtime":
      overrides.mtime = wholeSeconds(value);
      return;
    case "hdrcharset":
      if (value === "ISO-IR 10646 2000 UTF-8") return;
      break;
    default:
      if (IGNORED_KEYS.has(key)) return;
      if (ATTRIBUTE_PREFIXES.some((prefix) => key.startsWith(prefix))) {
        overrides.droppedAttributes += 1;
        return;
      }
  }
  throw imageError("IMAGE_FORMAT", `a pax header has ${quote(key)}, which is not supported`);
};

const wholeNumber = (key: string, value: string): number => {
  if (/^(0|[1-9][0-9]{0,15})$/.test(value) && Number.isSafeInteger(Number(value)))
    return Number(value);
  throw imageError("IMAGE_FORMAT", `a pax header has the ${key} ${quote(value)}`);
};

const wholeSeconds = (value: string): number => {
  if (!/^-?[0-9]{1,15}(\.[0-9]{0,12})?$/.test(value)) {
    throw imageError("IMAGE_FORMAT", `a pax header has the mtime ${quote(value)}`);
  }
  return Math.max(0, Math.trunc(Number(value)));
};
