import { isJsonObject, type JsonObject, type JsonValue, quote } from "@drydock/evidence";
import { type Cidr, type Ipv4, type PortRange, parseIpv4 } from "../model/index.js";
import { foreign } from "./foreign.js";
import { splitIntoBlocks } from "./merge.js";

/** The right side of a match: one value, a list, or an anonymous set. */
export interface Operand {
  readonly elements: readonly JsonValue[];
  readonly isSet: boolean;
}

/** @throws Foreign */
export const operand = (right: JsonValue): Operand => {
  if (Array.isArray(right)) return { elements: right, isSet: false };
  if (!isJsonObject(right) || !Object.hasOwn(right, "set")) {
    return { elements: [right], isSet: false };
  }
  const elements = member(right, "set");
  return { elements: Array.isArray(elements) ? elements : [elements], isSet: true };
};

export const texts = ({ elements }: Operand): readonly string[] => elements.map(text);

export const text = (value: JsonValue): string => {
  if (typeof value !== "string") return foreign("a name that is no text");
  return value.startsWith("@") ? foreign(`the set ${quote(value)}`) : value;
};

export const wordsOf = <W>({ elements }: Operand, known: ReadonlyMap<JsonValue, W>): readonly W[] =>
  elements.map((value) => known.get(value) ?? foreign(`the value ${quote(JSON.stringify(value))}`));

export const blocks = ({ elements }: Operand): readonly Cidr[] =>
  elements.flatMap((value) => {
    if (!isJsonObject(value)) return [{ base: ipv4(value), prefix: 32 }];
    if (Object.hasOwn(value, "range")) {
      const [first, last] = pair(member(value, "range"));
      return splitIntoBlocks({ first: ipv4(first), last: ipv4(last) });
    }
    const { addr, len } = prefixOf(value);
    return [{ base: ipv4(addr), prefix: len }];
  });

/** @throws Foreign */
export const prefixOf = (value: JsonValue): { readonly addr: JsonValue; readonly len: number } => {
  const body = isJsonObject(value) ? member(value, "prefix") : null;
  const { addr, len, ...more } = body !== null && isJsonObject(body) ? body : {};
  return addr === undefined || typeof len !== "number" || Object.keys(more).length > 0
    ? foreign("a prefix without address or length")
    : { addr, len };
};

export const portRanges = ({ elements }: Operand): readonly PortRange[] =>
  elements.map((value) => {
    if (!isJsonObject(value)) return { first: port(value), last: port(value) };
    const [first, last] = pair(member(value, "range"));
    return { first: port(first), last: port(last) };
  });

export const ipv4 = (value: JsonValue): Ipv4 =>
  (typeof value === "string" ? parseIpv4(value) : null) ??
  foreign(`the address ${quote(JSON.stringify(value))}`);

const port = (value: JsonValue): number =>
  typeof value === "number" ? value : foreign(`the port ${quote(JSON.stringify(value))}`);

const pair = (value: JsonValue): readonly [JsonValue, JsonValue] => {
  const [first, last, more] = Array.isArray(value) ? value : [];
  return first === undefined || last === undefined || more !== undefined
    ? foreign("a range without two ends")
    : [first, last];
};

/** The one member of an object that has no other. */
const member = (value: JsonObject, key: string): JsonValue => {
  const { [key]: body, ...more } = value;
  return body === undefined || Object.keys(more).length > 0
    ? foreign(`the value ${quote(JSON.stringify(value))}`)
    : body;
};
