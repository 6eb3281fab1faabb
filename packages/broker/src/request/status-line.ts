import type { HttpVersion } from "./model.js";

export interface StatusLine {
  readonly version: HttpVersion;
  readonly status: number;
  readonly phrase: string;
}

/** RFC 9112 §4. The space after the code stays when the phrase is empty. */
const STATUS_LINE = /^HTTP\/(1\.[01]) ([1-5][0-9]{2}) ([\t\x20-\x7e\x80-\xff]*)$/;

export const readStatusLine = (line: string): StatusLine | null => {
  const [, version, status, phrase] = STATUS_LINE.exec(line) ?? [];
  if ((version !== "1.0" && version !== "1.1") || phrase === undefined) {
    return null;
  }
  return { version, status: Number(status), phrase };
};
