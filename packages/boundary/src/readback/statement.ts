import { isJsonObject, type JsonObject, type JsonValue } from "@drydock/evidence";
import type { Effect } from "../model/index.js";
import type { ListedRule } from "../ruleset/index.js";

/** What a statement of somebody else's rule can do to what this project's rules mean. */
export type Reach =
  /** Looks, counts, or denies. */
  | { readonly kind: "harmless" }
  | { readonly kind: "accept" }
  | { readonly kind: "to"; readonly chain: string | null }
  /** Changes these bits of the packet's mark, or may. */
  | { readonly kind: "mark"; readonly bits: number }
  /** Another destination, chosen in a nat chain. */
  | { readonly kind: "destination" }
  /** Around the hooks, into other hands, or without connection state. */
  | { readonly kind: "bypass" }
  | { readonly kind: "unreadable" };

const HARMLESS: Reach = { kind: "harmless" };
const BYPASS: Reach = { kind: "bypass" };
const UNREADABLE: Reach = { kind: "unreadable" };
const DESTINATION: Reach = { kind: "destination" };
const ALL_BITS = 0xffff_ffff;

/** `masquerade` and `snat` choose a source after every filter hook of ours has judged it. */
const HARMLESS_STATEMENTS: readonly string[] = [
  ...["match", "counter", "quota", "limit", "log", "last", "ct count", "set", "map", "meter"],
  ...["drop", "reject", "return", "continue", "masquerade", "snat", "comment"],
];
/**
 * `flow` sends the rest of a connection past the forward hook, `dup` and `fwd` send packets where
 * no hook judges them, `queue`, `tproxy` and `synproxy` give them to others, `notrack` and the
 * conntrack statements decide what `established` and `related` mean.
 */
const BYPASS_STATEMENTS: readonly string[] = [
  ...["flow", "dup", "fwd", "queue", "tproxy", "synproxy", "notrack", "reset"],
  ...["ct helper", "ct timeout", "ct expectation", "secmark"],
];

/** Everything that one rule of somebody else's can do. */
export const reachesOf = ({ rule, statements }: ListedRule): readonly Reach[] =>
  rule === null ? statements.flatMap(reachOf) : reachesOfEffect(rule.effect);

const reachesOfEffect = (effect: Effect): readonly Reach[] => {
  switch (effect.kind) {
    case "accept":
      return [{ kind: "accept" }];
    case "jump":
      return [{ kind: "to", chain: effect.chain }];
    case "set-mark":
      return [{ kind: "mark", bits: effect.bits }];
    case "dispatch":
      return effect.to.map(({ chain }) => ({ kind: "to", chain }));
    case "drop":
    case "return":
    case "masquerade":
      return [HARMLESS];
  }
};

/** One statement of nft's JSON; a statement that nobody knows is unreadable. */
const reachOf = (statement: JsonObject): readonly Reach[] =>
  Object.entries(statement).flatMap(([name, body]) => reachOfNamed(name, body));

const reachOfNamed = (name: string, body: JsonValue): readonly Reach[] => {
  if (HARMLESS_STATEMENTS.includes(name)) return [HARMLESS];
  if (BYPASS_STATEMENTS.includes(name)) return [BYPASS];
  switch (name) {
    case "accept":
      return [{ kind: "accept" }];
    case "jump":
    case "goto":
      return [{ kind: "to", chain: textOf(body, "target") }];
    case "vmap":
      return verdictsOf(body);
    case "dnat":
    case "redirect":
      return [DESTINATION];
    case "mangle":
      return [reachOfMangle(body)];
    case "xt":
      return [reachOfXt(body)];
    default:
      return [UNREADABLE];
  }
};

/** An anonymous map's verdicts; a named map's elements can change, so that it may hold any. */
const verdictsOf = (body: JsonValue): readonly Reach[] => {
  const data = isJsonObject(body) ? body["data"] : undefined;
  const elements = data !== undefined && isJsonObject(data) ? data["set"] : undefined;
  if (!Array.isArray(elements)) return [{ kind: "accept" }, { kind: "to", chain: null }];
  return elements.flatMap((element: JsonValue) => {
    const verdict = Array.isArray(element) ? element[1] : undefined;
    return verdict !== undefined && isJsonObject(verdict) ? reachOf(verdict) : [UNREADABLE];
  });
};

const reachOfMangle = (body: JsonValue): Reach => {
  const key = isJsonObject(body) ? body["key"] : undefined;
  const value = isJsonObject(body) ? body["value"] : undefined;
  if (key === undefined || value === undefined || !isJsonObject(key)) return UNREADABLE;
  const what = key["meta"] ?? null;
  if (isJsonObject(what)) {
    switch (what["key"]) {
      case "mark":
        return { kind: "mark", bits: changedBits(value) };
      case "nftrace":
      case "priority":
        return HARMLESS;
      default:
        // `meta broute` routes what would be bridged, `meta pkttype` delivers what would be dropped.
        return BYPASS;
    }
  }
  // A connection's mark or label means nothing to ours unless it is copied to the packet's.
  const connection = key["ct"] ?? null;
  if (isJsonObject(connection)) {
    return connection["key"] === "mark" || connection["key"] === "label" ? HARMLESS : BYPASS;
  }
  // A header field: an address that changes behind the judgement is one that wasn't judged.
  return BYPASS;
};

/** Which bits of the mark may come out different from how they went in. */
const changedBits = (value: JsonValue): number => {
  if (!isJsonObject(value)) return ALL_BITS;
  if (JSON.stringify(value) === '{"meta":{"key":"mark"}}') return 0;
  const [entry, more] = Object.entries(value);
  if (entry === undefined || more !== undefined) return ALL_BITS;
  const [operator, operands] = entry;
  const [inner, constant] = Array.isArray(operands) ? operands : [];
  if (inner === undefined || typeof constant !== "number") return ALL_BITS;
  switch (operator) {
    case "|":
    case "^":
      return (changedBits(inner) | constant) >>> 0;
    case "&":
      return (changedBits(inner) | ~constant) >>> 0;
    default:
      return ALL_BITS;
  }
};

/** Rules of iptables-nft: nft shows an extension's name and nothing else of it. */
const reachOfXt = (body: JsonValue): Reach => {
  const [type, name] = [textOf(body, "type"), textOf(body, "name")];
  if (type === "match") return HARMLESS;
  if (type !== "target" || name === null) return UNREADABLE;
  return XT_TARGETS.get(name) ?? UNREADABLE;
};

const XT_TARGETS: ReadonlyMap<string, Reach> = new Map<string, Reach>([
  ...["LOG", "NFLOG", "REJECT", "MASQUERADE", "SNAT", "TCPMSS", "CHECKSUM", "TRACE", "AUDIT"].map(
    (name) => [name, HARMLESS] as const,
  ),
  ...["DNAT", "REDIRECT", "NETMAP"].map((name) => [name, DESTINATION] as const),
  ...["MARK", "CONNMARK", "mark"].map(
    (name) => [name, { kind: "mark", bits: ALL_BITS } as const] as const,
  ),
  // The lower-case ones are ebtables': they rewrite MAC addresses.
  ...["CT", "NOTRACK", "TEE", "TPROXY", "NFQUEUE", "SYNPROXY", "dnat", "snat", "redirect"].map(
    (name) => [name, BYPASS] as const,
  ),
]);

const textOf = (body: JsonValue, key: string): string | null => {
  const value = isJsonObject(body) ? body[key] : null;
  return typeof value === "string" ? value : null;
};
