import type { IpAddress } from "../../address/address.js";
import { allGlobal } from "../../address/all-global.js";
import { isFresh } from "./is-fresh.js";

/** A complete answer, both families of it, whose addresses were all global. */
export interface KeptAnswer {
  readonly addresses: readonly IpAddress[];
  /** Of its shortest-lived record, in seconds. */
  readonly ttl: number;
  /** When its look-up began, in milliseconds: no part of it is older. */
  readonly askedAt: number;
}

/** By name. */
export type KeptAnswers = ReadonlyMap<string, KeptAnswer>;

export const NONE_KEPT: KeptAnswers = new Map();

/** As many as a policy can grant, so that none has to make room for another. */
export const MAX_KEPT = 256;

/** The name's answer, if one is kept that may be used at `at`. */
export const keptFor = (
  kept: KeptAnswers,
  name: string,
  at: number,
  maxAgeMs: number,
): KeptAnswer | null => {
  const answer = kept.get(name);
  return answer !== undefined && isFresh(answer, at, maxAgeMs) ? answer : null;
};

/**
 * With one answer more, without those whose time is over. What isn't fresh already, and what would
 * be refused, isn't taken: a name that is set right is reached at once. Of two answers for a name
 * the later look-up's stays, and beyond `MAX_KEPT` the oldest goes.
 */
export const keep = (
  kept: KeptAnswers,
  name: string,
  answer: KeptAnswer,
  at: number,
  maxAgeMs: number,
): KeptAnswers => {
  const { addresses, askedAt } = answer;
  const later = (keptFor(kept, name, at, maxAgeMs)?.askedAt ?? askedAt) > askedAt;
  if (later || !isFresh(answer, at, maxAgeMs) || allGlobal(addresses).kind !== "global")
    return kept;
  const fresh = [...kept].filter(([other, one]) => other !== name && isFresh(one, at, maxAgeMs));
  const byAge = fresh.sort(([, one], [, other]) => other.askedAt - one.askedAt);
  return new Map([[name, answer], ...byAge.slice(0, MAX_KEPT - 1)]);
};
