import {
  isDrydockError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  quote,
} from "@drydock/evidence";
import type { Effect, EtherType, Family, Match, Rule } from "../model/index.js";
import { Foreign, foreign } from "./foreign.js";
import { needs } from "./implied.js";
import { isFamily, type ListedRule } from "./listing.js";
import { normalRule } from "./normal.js";
import { parseDispatch } from "./parse-dispatch.js";
import { type Dependency, isMark, parseMatch } from "./parse-match.js";

/** One rule of a listing, in normal form if the model has it, and else with the reason. */
export const parseRule = (family: string, body: JsonObject): ListedRule => {
  const comment = typeof body["comment"] === "string" ? body["comment"] : null;
  const listed = body["expr"];
  const statements = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
  try {
    if (!Array.isArray(listed) || statements.length !== listed.length) {
      return foreign("its expressions aren't a list of objects");
    }
    const more = Object.keys(body).find((key) => !RULE_KEYS.includes(key));
    if (more !== undefined) return foreign(`it has ${quote(more)}`);
    if (!isFamily(family)) return foreign(`family ${quote(family)}`);
    if (comment === null) return foreign("it has no comment");
    const rule = parseStatements(family, comment, statements);
    return { comment, rule, foreign: null, statements: [] };
  } catch (error) {
    if (error instanceof Foreign || (isDrydockError(error) && error.code === "RULESET_INVALID")) {
      return { comment, rule: null, foreign: error.message, statements };
    }
    throw error;
  }
};

/** `position` and `index` are its place in nft's own words, which the order says already. */
const RULE_KEYS: readonly string[] = [
  ...["family", "table", "chain", "handle", "position", "index", "comment", "expr"],
];

const parseStatements = (
  family: Family,
  identity: string,
  statements: readonly JsonObject[],
): Rule => {
  const matches: Match[] = [];
  const dependencies: Dependency[] = [];
  let effect: Effect | null = null;
  for (const statement of statements) {
    const [name, body] = only(statement);
    if (isAnonymousCounter(name, body)) continue;
    // What stands behind an effect is another effect, or never reached.
    if (effect !== null) return foreign(`${quote(name)} behind its effect`);
    if (name !== "match") effect = parseEffect(name, body);
    else {
      const parsed = parseMatch(body);
      if (parsed.kind === "dependency") dependencies.push(parsed);
      else matches.push(parsed);
    }
  }
  if (effect === null) return foreign("it has no effect");
  for (const dependency of dependencies)
    checkDependency(dependency, needs(matches, effect).etherType);
  return normalRule(family, { identity, matches, effect });
};

/** `meta protocol ip` says nothing that `ip saddr` beside it doesn't; alone it isn't the model's. */
const checkDependency = ({ etherType }: Dependency, needed: EtherType | null): void => {
  if (etherType !== needed) foreign(`meta protocol ${quote(etherType)}`);
};

const only = (statement: JsonObject): readonly [string, JsonValue] => {
  const [entry, more] = Object.entries(statement);
  return entry === undefined || more !== undefined
    ? foreign("a statement isn't one object with a name")
    : entry;
};

/** Counts and does nothing else; with a name it is an object of its table's, which ours never has. */
const isAnonymousCounter = (name: string, body: JsonValue): boolean =>
  name === "counter" && (body === null || isJsonObject(body));

const parseEffect = (name: string, body: JsonValue): Effect => {
  switch (name) {
    case "accept":
    case "drop":
    case "return":
    case "masquerade":
      return body === null ? { kind: name } : foreign(`${name} with options`);
    case "jump": {
      const chain = isJsonObject(body) ? body["target"] : undefined;
      return typeof chain === "string" ? { kind: "jump", chain } : foreign("jump without a target");
    }
    case "vmap":
      return parseDispatch(body);
    case "mangle":
      return parseMangle(body);
    default:
      return foreign(`statement ${quote(name)}`);
  }
};

/** `meta mark set meta mark | bits` */
const parseMangle = (body: JsonValue): Effect => {
  const { key = null, value = null } = isJsonObject(body) ? body : {};
  const operands = isJsonObject(value) && Object.keys(value).length === 1 ? value["|"] : undefined;
  const [mark = null, bits, more] = Array.isArray(operands) ? operands : [];
  const isOr = isMark(key) && isMark(mark) && typeof bits === "number" && more === undefined;
  return isOr && isJsonObject(body) && Object.keys(body).length === 2
    ? { kind: "set-mark", bits }
    : foreign("a value that is set to something else");
};
