import { DrydockError } from "../errors.js";

export type JsonErrorCode =
  | "JSON_SYNTAX"
  | "JSON_NUMBER"
  | "JSON_STRING"
  | "JSON_UTF8"
  | "JSON_DUPLICATE_KEY"
  | "JSON_TRAILING"
  | "JSON_LIMIT"
  | "JSON_NOT_CANONICAL"
  | "JSON_VALUE";

/** `offset` is the byte at which reading stopped, counted from the start of the text. */
export class JsonError extends DrydockError<JsonErrorCode> {
  readonly offset: number;

  constructor(code: JsonErrorCode, what: string, offset: number) {
    super(code, `${what} at byte ${offset}`, {
      fix: "Write RFC 8785 JSON: no duplicate keys, integers only, UTF-8 without a byte order mark.",
    });
    this.offset = offset;
  }
}
