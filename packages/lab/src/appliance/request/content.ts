import type { JsonValue } from "@drydock/evidence";
import { refuse, refuseValue } from "../answer/index.js";
import { isNumeric } from "../query/index.js";
import type { ApiCall } from "./call.js";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** How deep the appliance reads JSON. */
const MAX_DEPTH = 512;

/** Media type parameters are ignored, and so is every type after the first with one. */
const typeIn = (field: string | undefined): string =>
  (field ?? "").toLowerCase().split(";", 1)[0] ?? "";

/**
 * The answer is JSON, or it isn't given. The whole field is compared with one type: a list of types,
 * which browsers and many libraries send, is refused.
 *
 * @throws ApiRefusal CONTENT_HANDLER_…
 */
export const requireAcceptable = ({ fields }: ApiCall): void => {
  const type = typeIn(fields["accept"]);
  if (type === "" || type === "*/*" || type === JSON_TYPE) return;
  if (type === FORM_TYPE) {
    refuse(
      406,
      "CONTENT_HANDLER_CANNOT_ENCODE_CONTENT",
      `Content handler \`${type}\` cannot format a response as it does not support content encoding.`,
    );
  }
  refuse(406, "CONTENT_HANDLER_ENCODE_NOT_FOUND", `No content handler exists for \`${type}\`.`);
};

/**
 * What the client sent: the query for a form, which is what GET and DELETE are without a type, else
 * the body as JSON.
 *
 * @throws ApiRefusal CONTENT_HANDLER_…, JSON_CONTENT_HANDLER_COULD_NOT_DECODE_JSON
 */
export const decodeContent = (call: ApiCall): JsonValue => {
  const given = typeIn(call.fields["content-type"]);
  const type = given === "" ? defaultType(call.method) : given;
  switch (type) {
    case JSON_TYPE:
      return decodeJson(call.body);
    case FORM_TYPE:
      return decodeQuery(call.query);
    case "application/octet-stream":
      return refuse(
        415,
        "CONTENT_HANDLER_CANNOT_DECODE_CONTENT",
        `Content handler \`${type}\` does not support decoding content.`,
      );
    default:
      return refuse(
        415,
        "CONTENT_HANDLER_DECODE_NOT_FOUND",
        `No content handler exists for \`${type}\`.`,
      );
  }
};

const defaultType = (method: string): string =>
  method === "POST" || method === "PUT" || method === "PATCH" ? JSON_TYPE : FORM_TYPE;

const decodeJson = (body: Uint8Array): JsonValue => {
  if (body.length === 0) return {};
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    if (depthOf(text) > MAX_DEPTH) return undecodable();
    // Like the appliance's parser, of a key that comes twice this one takes the last.
    return JSON.parse(text, refuseLoneSurrogate) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undecodable();
    throw error;
  }
};

const refuseLoneSurrogate = (key: string, value: unknown): unknown => {
  if (!key.isWellFormed()) throw new SyntaxError("lone surrogate");
  if (typeof value === "string" && !value.isWellFormed()) throw new SyntaxError("lone surrogate");
  return value;
};

const undecodable = (): never =>
  refuseValue(
    "JSON_CONTENT_HANDLER_COULD_NOT_DECODE_JSON",
    "Request body could not be decoded as JSON.",
  );

/** Of brackets outside of strings; whether they match is the parser's business. */
const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
};

/** `true`, `false` and whatever is a number become what they spell; `name[]` is a list. */
const decodeQuery = (query: string): JsonValue => {
  const data = new Map<string, JsonValue>();
  for (const [given, value] of new URLSearchParams(query)) {
    const [, list] = /^(.+)\[\]$/.exec(given) ?? [];
    // The appliance's language can't have dots and spaces in the names of variables.
    const name = (list ?? given).replace(/[. ]/g, "_");
    if (list === undefined) data.set(name, inferred(value));
    else {
      const before = data.get(name);
      data.set(name, [...(Array.isArray(before) ? before : []), value]);
    }
  }
  return Object.fromEntries(data);
};

const inferred = (value: string): JsonValue => {
  if (value === "true") return true;
  if (value === "false") return false;
  if (!isNumeric(value)) return value;
  const number = Math.trunc(Number(value));
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number)) + 0;
};
