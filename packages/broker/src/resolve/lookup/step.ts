import type { ResolverLimits } from "../limits.js";
import type { Family } from "../message/question.js";
import type { LookupEvent } from "./event.js";
import { settle } from "./settle.js";
import type {
  FamilyState,
  LookupEffect,
  LookupOutcome,
  LookupReason,
  LookupState,
} from "./state.js";

export interface LookupStep {
  readonly state: LookupState;
  readonly effects: readonly LookupEffect[];
}

/** A lost datagram is likelier than a dead server, so a silent one is asked once more. */
const ROUNDS = 2;

/**
 * The longest wait of any turn but the last. A resolver that is still busy by then has the answer
 * ready when its second turn comes.
 */
const MAX_TURN_MS = 1000;

/**
 * Begins a look-up at `now`: A and AAAA at once, each of the first of `servers` servers. Servers
 * have their turns one after the other, with equal shares of the time that is left, or less. One
 * that fails has no further turn; one that is silent has a second when all others had theirs.
 */
export const beginLookup = (
  servers: number,
  limits: Pick<ResolverLimits, "timeoutMs" | "maxUnrelated">,
  now: number,
): LookupStep => {
  const turns = Array.from({ length: servers * ROUNDS }, (_, turn) => turn % servers);
  const asking = { kind: "asking", query: -1, over: "udp", turns, failed: false } as const;
  const state: LookupState = {
    deadline: now + limits.timeoutMs,
    maxUnrelated: limits.maxUnrelated,
    unrelated: 0,
    asked: 0,
    v4: asking,
    v6: asking,
    done: false,
  };
  const first = ask(state, 4, asking, now);
  const second = ask(first.state, 6, asking, now);
  return { state: second.state, effects: [...first.effects, ...second.effects] };
};

type Asking = Extract<FamilyState, { kind: "asking" }>;

/** One event of a look-up. Nothing happens after `end`. */
export const stepLookup = (state: LookupState, event: LookupEvent): LookupStep => {
  const family = ([4, 6] as const).find((each) => isAsking(familyOf(state, each), event.query));
  const asking = family === undefined ? undefined : familyOf(state, family);
  if (state.done || family === undefined || asking?.kind !== "asking")
    return { state, effects: [] };
  // Also an answer that was there in time, when it is read too late: the deadline is the limit.
  if (event.at >= state.deadline) return refuse(state, lossOf(state, asking));
  switch (event.type) {
    case "silent":
      return nextTurn(state, family, asking, event.at, asking.turns.slice(1));
    case "broken":
      return fail(state, family, asking, event.at);
    case "answer":
      return take(state, family, asking, event);
  }
};

const take = (
  state: LookupState,
  family: Family,
  asking: Asking,
  { answer, at }: Extract<LookupEvent, { type: "answer" }>,
): LookupStep => {
  switch (answer.kind) {
    case "unrelated":
      return passOver(state, asking);
    case "truncated":
      return then(drop(state, asking), (next) => ask(next, family, { ...asking, over: "tcp" }, at));
    case "failed":
      return fail(state, family, asking, at);
    case "no-name":
      return refuse(state, "DNS_NO_NAME");
    case "refused":
      return refuse(state, answer.reason);
    case "addresses": {
      const { addresses, ttl } = answer;
      const answered = withFamily(state, family, { kind: "answered", addresses, ttl });
      const outcome = settle(answered.v4, answered.v6);
      return outcome === null ? drop(answered, asking) : end(answered, outcome);
    }
  }
};

/** Over UDP anybody may send; over TCP only the server can have said something unrelated. */
const passOver = (state: LookupState, { over }: Asking): LookupStep => {
  const unrelated = state.unrelated + 1;
  if (over === "tcp" || unrelated > state.maxUnrelated) return refuse(state, "DNS_MALFORMED");
  return { state: { ...state, unrelated }, effects: [] };
};

const fail = (state: LookupState, family: Family, asking: Asking, at: number): LookupStep => {
  const [failing, ...rest] = asking.turns;
  const turns = rest.filter((server) => server !== failing);
  return nextTurn(state, family, { ...asking, failed: true }, at, turns);
};

const nextTurn = (
  state: LookupState,
  family: Family,
  asking: Asking,
  at: number,
  turns: readonly number[],
): LookupStep => {
  if (turns.length === 0) return refuse(state, lossOf(state, asking));
  return then(drop(state, asking), (next) =>
    ask(next, family, { ...asking, over: "udp", turns }, at),
  );
};

/** Without an answer: the most telling of what was seen instead. */
const lossOf = ({ unrelated }: LookupState, { failed }: Asking): LookupReason => {
  if (failed) return "DNS_FAILED";
  return unrelated > 0 ? "DNS_MALFORMED" : "DNS_TIMEOUT";
};

const ask = (state: LookupState, family: Family, asking: Asking, at: number): LookupStep => {
  const [server = 0] = asking.turns;
  const query = state.asked;
  return {
    state: withFamily({ ...state, asked: query + 1 }, family, { ...asking, query }),
    effects: [
      {
        type: "ask",
        query,
        family,
        server,
        over: asking.over,
        waitMs: shareOf(state.deadline - at, asking.turns.length),
      },
    ],
  };
};

const shareOf = (leftMs: number, turns: number): number => {
  const equalMs = Math.max(1, Math.floor(leftMs / turns));
  return turns === 1 ? equalMs : Math.min(equalMs, MAX_TURN_MS);
};

const drop = (state: LookupState, { query }: Asking): LookupStep => ({
  state,
  effects: [{ type: "drop", query }],
});

const refuse = (state: LookupState, reason: LookupReason): LookupStep =>
  end(state, { kind: "refused", reason });

const end = (state: LookupState, outcome: LookupOutcome): LookupStep => ({
  state: { ...state, done: true },
  effects: [{ type: "end", outcome }],
});

const then = (step: LookupStep, next: (state: LookupState) => LookupStep): LookupStep => {
  const { state, effects } = next(step.state);
  return { state, effects: [...step.effects, ...effects] };
};

const isAsking = (family: FamilyState, query: number): boolean =>
  family.kind === "asking" && family.query === query;

const familyOf = ({ v4, v6 }: LookupState, family: Family): FamilyState => (family === 4 ? v4 : v6);

const withFamily = (state: LookupState, family: Family, value: FamilyState): LookupState =>
  family === 4 ? { ...state, v4: value } : { ...state, v6: value };
