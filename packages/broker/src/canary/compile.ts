import { DrydockError } from "@drydock/evidence";
import { type Automaton, compileAutomaton } from "./automaton.js";
import {
  type Canary,
  type CanaryEncoding,
  MAX_CANARIES,
  MAX_CANARY_LENGTH,
  MIN_CANARY_LENGTH,
} from "./canary.js";
import { createFilter, type Filter } from "./filter.js";
import { patternsOf } from "./patterns.js";

/** Canaries made ready for any number of watches. Holds the values: never log or send it. */
export interface CompiledCanaries {
  readonly automaton: Automaton;
  readonly filter: Filter;
  /** What each pattern of the automaton means. */
  readonly meanings: readonly { readonly canary: string; readonly encoding: CanaryEncoding }[];
  /** Bytes of the longest pattern. */
  readonly longest: number;
}

/** @throws DrydockError CANARY_VALUE: too many, too short, too long, or not visible ASCII. */
export const compileCanaries = (canaries: readonly Canary[]): CompiledCanaries => {
  if (canaries.length > MAX_CANARIES) {
    throw new DrydockError("CANARY_VALUE", `${canaries.length} values to watch for`, {
      fix: `Plant at most ${MAX_CANARIES}.`,
    });
  }
  const patterns = canaries.flatMap(({ id, value }) => {
    checkValue(id, value);
    return patternsOf(value).map(({ encoding, bytes }) => ({ canary: id, encoding, bytes }));
  });
  const bytes = patterns.map((pattern) => pattern.bytes);
  const automaton = compileAutomaton(bytes);
  return {
    automaton,
    filter: createFilter(bytes, automaton),
    meanings: patterns.map(({ canary, encoding }) => ({ canary, encoding })),
    longest: bytes.reduce((longest, { length }) => Math.max(longest, length), 0),
  };
};

const checkValue = (id: string, value: string): void => {
  if (/^[\x20-\x7e]+$/.test(value) && isWatchable(value.length)) return;
  throw new DrydockError("CANARY_VALUE", `the value of ${id} can't be watched for`, {
    fix: `Use ${MIN_CANARY_LENGTH} to ${MAX_CANARY_LENGTH} printable ASCII characters.`,
  });
};

const isWatchable = (length: number): boolean =>
  length >= MIN_CANARY_LENGTH && length <= MAX_CANARY_LENGTH;
