import {
  DrydockError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  quote,
} from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import { ABOUT_CHAIN } from "./about.js";
import {
  commentOf,
  type ListedBase,
  type ListedChain,
  type ListedObject,
  type ListedRule,
  type ListedTable,
  type Listing,
} from "./listing.js";
import { parseRule } from "./parse-rule.js";

/** 5,000 rules are about 2 MB; nothing that this project lists comes near. */
export const MAX_LISTING_BYTES = 64 * 1024 * 1024;
const LIMITS = { maxBytes: MAX_LISTING_BYTES, maxDepth: 64, maxNodes: 8_000_000 };

/**
 * Reads what `nft -j list ruleset` printed, or several narrower lists that are one together. Handles, counters and nft's own version
 * are left out; what the model has no word for is kept as foreign, with its reason, and never
 * passed over.
 *
 * @throws DrydockError NFT_OUTPUT for what isn't a listing at all
 */
export const parseNftJson = (...texts: readonly Uint8Array[]): Listing => {
  const items = texts.flatMap(itemsOf);
  const tables = new Map<string, TableDraft>();
  let version: string | null = null;
  for (const item of items) {
    const [entry, more] = isJsonObject(item) ? Object.entries(item) : [];
    if (entry === undefined || more !== undefined || !isJsonObject(entry[1])) {
      return refuse("an item isn't one object with a name");
    }
    const [kind, body] = entry;
    if (kind === "metainfo") version = textOf(body, "version");
    else if (kind === "table") addTable(tables, body);
    else draftOf(tables, body, kind).add(kind, body);
  }
  return { version, tables: [...tables.values()].map((draft) => draft.finish()) };
};

const itemsOf = (bytes: Uint8Array): readonly JsonValue[] => {
  let parsed: JsonValue;
  try {
    parsed = parseJson(bytes, LIMITS);
  } catch (cause) {
    throw new DrydockError<BoundaryCode>(
      "NFT_OUTPUT",
      `nft's listing is no JSON: ${String(cause)}`,
      { cause },
    );
  }
  const items = isJsonObject(parsed) ? parsed["nftables"] : undefined;
  return Array.isArray(items) ? items : refuse('no array "nftables"');
};

const addTable = (tables: Map<string, TableDraft>, body: JsonObject): void => {
  const family = required(body, "family", "table");
  const name = required(body, "name", "table");
  const key = keyOf(family, name);
  if (tables.has(key)) refuse(`table ${quote(key)} is listed twice`);
  tables.set(key, new TableDraft(family, name, extrasOf(body, TABLE_KEYS)));
};

/** A list of chains names tables that it doesn't list. */
const draftOf = (tables: Map<string, TableDraft>, body: JsonObject, kind: string): TableDraft => {
  const family = required(body, "family", kind);
  const name = required(body, "table", kind);
  const draft = tables.get(keyOf(family, name)) ?? new TableDraft(family, name, []);
  tables.set(keyOf(family, name), draft);
  return draft;
};

const keyOf = (family: string, name: string): string => `${family} ${name}`;

const TABLE_KEYS: readonly string[] = ["family", "name", "handle"];
const BASE_KEYS: readonly string[] = ["type", "hook", "prio", "policy"];
const CHAIN_KEYS: readonly string[] = [...TABLE_KEYS, "table", ...BASE_KEYS];

const extrasOf = (body: JsonObject, known: readonly string[]): readonly string[] =>
  Object.entries(body)
    .filter(([key]) => !known.includes(key))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);

interface ChainDraft {
  readonly name: string;
  readonly extras: readonly string[];
  readonly base: ListedBase | null;
  readonly rules: ListedRule[];
}

class TableDraft {
  readonly #family: string;
  readonly #name: string;
  readonly #extras: readonly string[];
  readonly #chains = new Map<string, ChainDraft>();
  readonly #objects: ListedObject[] = [];

  constructor(family: string, name: string, extras: readonly string[]) {
    this.#family = family;
    this.#name = name;
    this.#extras = extras;
  }

  add(kind: string, body: JsonObject): void {
    switch (kind) {
      case "chain": {
        const name = required(body, "name", kind);
        // A narrower list may have it once more.
        if (this.#chains.has(name)) return;
        this.#chains.set(name, {
          name,
          extras: extrasOf(body, CHAIN_KEYS),
          base: parseBase(body),
          rules: [],
        });
        return;
      }
      case "rule": {
        const name = required(body, "chain", kind);
        const chain = this.#chains.get(name) ?? refuse(`a rule of chain ${quote(name)}, unlisted`);
        chain.rules.push(parseRule(this.#family, body));
        return;
      }
      default:
        this.#objects.push({ kind, name: textOf(body, "name") ?? "" });
    }
  }

  finish(): ListedTable {
    const all: readonly ListedChain[] = [...this.#chains.values()];
    const about = all.find(({ name }) => name === ABOUT_CHAIN);
    const comment = about === undefined ? null : commentOf(about);
    return {
      family: this.#family,
      name: this.#name,
      extras: this.#extras,
      comment,
      // An `about` that isn't understood stays a chain, so that it is seen.
      chains: comment === null ? all : all.filter((chain) => chain !== about),
      objects: this.#objects,
    };
  }
}

const parseBase = (body: JsonObject): ListedBase | null => {
  if (!BASE_KEYS.some((key) => Object.hasOwn(body, key))) return null;
  const priority = body["prio"];
  return {
    type: textOf(body, "type"),
    hook: textOf(body, "hook"),
    priority: typeof priority === "number" ? priority : null,
    policy: textOf(body, "policy"),
  };
};

const textOf = (body: JsonObject, key: string): string | null => {
  const value = body[key];
  return typeof value === "string" ? value : null;
};

const required = (body: JsonObject, key: string, kind: string): string =>
  textOf(body, key) ?? refuse(`${quote(kind)} without ${key}`);

const refuse = (what: string): never => {
  throw new DrydockError<BoundaryCode>("NFT_OUTPUT", `nft's listing isn't understood: ${what}`, {
    fix: "use an nft from 0.9.8 on, such as Debian's package nftables",
  });
};
