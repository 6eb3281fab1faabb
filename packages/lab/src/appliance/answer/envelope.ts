import type { JsonObject, JsonValue } from "@drydock/evidence";
import type { ApiRefusal } from "./refusal.js";

/** What is sent back: a status, header fields, and a body of JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** The status in words, lower case, as the package writes it into each body. */
const PHRASES: ReadonlyMap<number, string> = new Map([
  [200, "ok"],
  [400, "bad request"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not found"],
  [405, "method not allowed"],
  [406, "not acceptable"],
  [409, "conflict"],
  [415, "unsupported media type"],
  [500, "internal server error"],
  [503, "service unavailable"],
]);

export const success = (
  data: JsonValue,
  fields: Readonly<Record<string, string>> = {},
): ApiAnswer => ({ status: 200, fields, body: envelope(200, "SUCCESS", "", data) });

export const refusalAnswer = ({ status, responseId, message, fields }: ApiRefusal): ApiAnswer => ({
  status,
  fields,
  body: envelope(status, responseId, message, []),
});

/**
 * What an error that nobody foresaw looks like: its message and a stack trace, values included. A
 * client must not log it.
 */
export const unexpectedError = (what: string): ApiAnswer => ({
  status: 500,
  fields: {},
  body: envelope(
    500,
    "ENDPOINT_RECEIVED_UNEXPECTED_ERROR",
    `${what}\n#0 /usr/local/www/api/v2/index.php(3): stand_in_process_request()\n#1 {main}`,
    [],
  ),
});

const envelope = (
  code: number,
  responseId: string,
  message: string,
  data: JsonValue,
): JsonObject => ({
  code,
  status: PHRASES.get(code) ?? "unknown",
  response_id: responseId,
  message: message.replace(/["']/g, "`"),
  data,
});
