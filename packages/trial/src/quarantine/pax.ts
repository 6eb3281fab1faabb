import { TarError } from "./entry.js";

export interface PaxRecords {
  readonly path: Buffer | undefined;
  readonly target: Buffer | undefined;
  readonly size: number | undefined;
  /** The first key that may change the entry's meaning and is not one of ours. */
  readonly unknownKey: string | undefined;
}

/** Keys that describe times and owners, none of which is kept. */
const IGNORED = new Set(["atime", "ctime", "mtime", "uid", "gid", "uname", "gname", "comment"]);

/**
 * Parses the body of a pax header: records "LENGTH KEY=VALUE\n" (POSIX.1-2017, pax, "pax Extended
 * Header"). Lengths must fit exactly and no key may come twice.
 *
 * @throws TarError TAR_MALFORMED
 */
export const parsePaxRecords = (body: Buffer): PaxRecords => {
  const values = new Map<string, Buffer>();
  for (let at = 0; at < body.length; ) {
    const { key, value, next } = parseRecord(body, at);
    if (values.has(key)) throw malformed("a key comes twice");
    values.set(key, value);
    at = next;
  }
  const size = values.get("size")?.toString("latin1");
  if (size !== undefined && !/^(?:0|[1-9][0-9]{0,14})$/.test(size)) {
    throw malformed("size is not a number");
  }
  return {
    path: values.get("path"),
    target: values.get("linkpath"),
    size: size === undefined ? undefined : Number(size),
    unknownKey: [...values.keys()].find(
      (key) => !IGNORED.has(key) && key !== "path" && key !== "linkpath" && key !== "size",
    ),
  };
};

const parseRecord = (body: Buffer, start: number) => {
  const space = body.indexOf(0x20, start);
  const digits = space === -1 ? "" : body.toString("latin1", start, space);
  if (!/^[1-9][0-9]{0,5}$/.test(digits)) throw malformed("a record has no length");
  const next = start + Number(digits);
  const equals = body.indexOf(0x3d, space);
  if (next > body.length || equals === -1 || equals >= next || body[next - 1] !== 0x0a) {
    throw malformed("a record does not fit its length");
  }
  const key = body.toString("latin1", space + 1, equals);
  return { key, value: body.subarray(equals + 1, next - 1), next };
};

const malformed = (why: string): TarError => new TarError("TAR_MALFORMED", `pax: ${why}`);
