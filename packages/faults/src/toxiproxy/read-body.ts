import { JsonError, parseJson } from "@drydock/evidence";
import { badBody } from "./error.js";
import { MAX_BODY_BYTES } from "./limits.js";

/** A string, which is left alone, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/gs;

/** RFC 8259 §6; what isn't of its form is left to be refused. */
const FRACTION = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]|[eE])/;

/**
 * A JSON text with fractions, which a share of connections is. Otherwise as strict as everywhere:
 * the form is judged with each fraction as 0, and the values are then read as they are.
 *
 * @throws ApiError 400
 */
export const readBody = (bytes: Uint8Array): unknown => {
  const text = Buffer.from(bytes).toString("utf8");
  if (text.trim() === "") throw badBody("EOF");
  const whole = text.replace(TOKEN, (token) => (FRACTION.test(token) ? "0" : token));
  try {
    // Not of the text as it came: what isn't UTF-8 was replaced by a character that is.
    if (!Buffer.from(text).equals(bytes)) throw badBody("it is no UTF-8");
    parseJson(Buffer.from(whole), { maxBytes: MAX_BODY_BYTES });
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof JsonError) throw badBody(error.message);
    throw error;
  }
};
