import { isJsonObject, type JsonValue, quote } from "@drydock/evidence";
import type { CtState, EtherType, Match, Protocol } from "../model/index.js";
import { foreign } from "./foreign.js";
import {
  blocks,
  type Operand,
  operand,
  portRanges,
  prefixOf,
  texts,
  wordsOf,
} from "./parse-value.js";

/** What nft may have added by itself: `meta protocol`. */
export interface Dependency {
  readonly kind: "dependency";
  readonly etherType: EtherType;
}

/** @throws Foreign */
export const parseMatch = (body: JsonValue): Match | Dependency => {
  if (!isJsonObject(body)) return foreign("a match that is no object");
  const { op, left, right } = body;
  if (right === undefined || left === undefined || !isJsonObject(left)) {
    return foreign("a match without operands");
  }
  if (Object.keys(body).length > 3) return foreign("a match with more than op, left and right");
  const not = isNegated(op);
  const [entry, rest] = Object.entries(left);
  if (entry === undefined || rest !== undefined) return foreign("a match of more than one thing");
  const [name, subject] = entry;
  if (name === "&") return parseMaskedMark(subject, right, not);
  return parseSubject(nameOf(name, subject), op === "in", { not, ...operand(right) });
};

const isNegated = (op: JsonValue | undefined): boolean => {
  switch (op) {
    case "==":
    case "in":
      return false;
    case "!=":
      return true;
    default:
      return foreign(`operator ${quote(String(op))}`);
  }
};

/** `meta iifname`, `ip saddr` and so on: one text for what is matched. */
export const nameOf = (name: string, subject: JsonValue): string => {
  if (!isJsonObject(subject)) return foreign(`a match of ${quote(name)}`);
  const { protocol, field, key } = subject;
  const size = Object.keys(subject).length;
  if (
    name === "payload" &&
    size === 2 &&
    typeof protocol === "string" &&
    typeof field === "string"
  ) {
    return `${protocol} ${field}`;
  }
  if ((name === "meta" || name === "ct") && size === 1 && typeof key === "string") {
    return `${name} ${key}`;
  }
  return foreign(`a match of ${quote(name)}`);
};

interface Negatable extends Operand {
  readonly not: boolean;
}

const parseSubject = (name: string, isBitTest: boolean, value: Negatable): Match | Dependency => {
  const { not } = value;
  if (isBitTest && name !== "ct state") return foreign(`a bit test of ${name}`);
  switch (name) {
    case "meta iifname":
      return { kind: "iifname", is: texts(value), not };
    case "meta oifname":
      return { kind: "oifname", is: texts(value), not };
    case "meta ibrname":
      return { kind: "ibrname", is: texts(value), not };
    case "meta obrname":
      return { kind: "obrname", is: texts(value), not };
    case "ether saddr":
      return { kind: "ether-source", is: texts(value), not };
    case "ether type":
      return { kind: "ether-type", is: wordsOf(value, ETHER_TYPES), not };
    case "arp saddr ip":
      return { kind: "arp-sender-ip", is: blocks(value), not };
    case "arp saddr ether":
      return { kind: "arp-sender-ether", is: texts(value), not };
    case "ip saddr":
      return { kind: "ip-source", is: blocks(value), not };
    case "ip daddr":
      return { kind: "ip-destination", is: blocks(value), not };
    case "meta l4proto":
      return { kind: "l4proto", is: wordsOf(value, PROTOCOLS), not };
    case "ct state":
      // A packet has exactly one state, so that a bit test of some is membership; but `!=` of a
      // list without braces asks whether it has all of them, which none has.
      if (not && !value.isSet && value.elements.length > 1) return foreign("ct state != a list");
      return { kind: "ct-state", is: wordsOf(value, CT_STATES), not };
    case "tcp dport":
    case "udp dport":
      if (not) return foreign(`${name} !=`);
      return {
        kind: "destination-port",
        protocol: name === "tcp dport" ? "tcp" : "udp",
        is: portRanges(value),
      };
    case "meta nfproto":
      return { kind: "nfproto", is: single(wordsOf(value, NFPROTOS), not) };
    case "meta protocol":
      return { kind: "dependency", etherType: single(wordsOf(value, ETHER_TYPES), not) };
    case "meta mark":
      return { kind: "mark", ...single(value.elements.map(maskedValue), false), not };
    default:
      return foreign(`a match of ${quote(name)}`);
  }
};

/** `meta mark` itself. */
export const isMark = (value: JsonValue): boolean => {
  const meta = isJsonObject(value) && Object.keys(value).length === 1 ? value["meta"] : undefined;
  return (
    meta !== undefined &&
    isJsonObject(meta) &&
    meta["key"] === "mark" &&
    Object.keys(meta).length === 1
  );
};

const parseMaskedMark = (subject: JsonValue, right: JsonValue, not: boolean): Match => {
  const [left, mask, more] = Array.isArray(subject) ? subject : [];
  if (
    left === undefined ||
    !isMark(left) ||
    typeof mask !== "number" ||
    typeof right !== "number" ||
    more !== undefined
  ) {
    return foreign("a match of bits");
  }
  return { kind: "mark", mask, value: right, not };
};

/** A mask of leading ones, all of them included, is listed as a prefix. */
const maskedValue = (value: JsonValue): { readonly mask: number; readonly value: number } => {
  if (typeof value === "number") return { mask: 0xffff_ffff, value };
  const { addr, len } = prefixOf(value);
  return typeof addr === "number" && Number.isInteger(len) && len > 0 && len <= 32
    ? { mask: 2 ** 32 - 2 ** (32 - len), value: addr }
    : foreign("a mark that is no number");
};

const single = <V>(values: readonly V[], not: boolean): V => {
  const [value, more] = values;
  return value === undefined || more !== undefined || not
    ? foreign("a set or a negation where the model has one value")
    : value;
};

/** By name, or by number where nft has no /etc/protocols to look names up in. */
const ETHER_TYPES: ReadonlyMap<JsonValue, EtherType> = new Map<JsonValue, EtherType>([
  ["ip", "ip"],
  ["arp", "arp"],
  ["ip6", "ip6"],
  [0x0800, "ip"],
  [0x0806, "arp"],
  [0x86dd, "ip6"],
]);
const PROTOCOLS: ReadonlyMap<JsonValue, Protocol> = new Map<JsonValue, Protocol>([
  ["icmp", "icmp"],
  ["tcp", "tcp"],
  ["udp", "udp"],
  [1, "icmp"],
  [6, "tcp"],
  [17, "udp"],
]);
const NFPROTOS: ReadonlyMap<JsonValue, "ipv4" | "ipv6"> = new Map<JsonValue, "ipv4" | "ipv6">([
  ["ipv4", "ipv4"],
  ["ipv6", "ipv6"],
  [2, "ipv4"],
  [10, "ipv6"],
]);
const CT_STATES: ReadonlyMap<JsonValue, CtState> = new Map<JsonValue, CtState>(
  (["established", "invalid", "new", "related", "untracked"] as const).map((state) => [
    state,
    state,
  ]),
);
