import {
  NOTHING,
  plus,
  RESOURCE_NAMES,
  type Resources,
  sameResources,
} from "../resources/vector.js";
import { overCeiling } from "./admission.js";
import type { ActingEvent, LedgerEvent, LedgerRefusal } from "./event.js";
import { isFenced } from "./fence.js";
import { haltGate } from "./halt-gate.js";
import { isOccupying, isOpen, type RunOutcome, type RunRow, type RunState } from "./row.js";

/**
 * The rows a decision can depend on, by run: the run itself, the row with the same key, and all
 * rows that occupy something. Whether finished rows are there as well makes no difference.
 */
export type LedgerState = ReadonlyMap<string, RunRow>;

export type LedgerEffect = { readonly type: "write"; readonly row: RunRow };

export type LedgerDecision =
  | { readonly kind: "accepted"; readonly row: RunRow }
  /** The same thing was said before: nothing changes, and this is what came of it. */
  | { readonly kind: "repeated"; readonly row: RunRow }
  | { readonly kind: "refused"; readonly code: LedgerRefusal; readonly why: string };

export interface LedgerStep {
  readonly state: LedgerState;
  readonly effects: readonly LedgerEffect[];
  readonly decision: LedgerDecision;
}

export const step = (state: LedgerState, event: LedgerEvent): LedgerStep => {
  const decision = decide(state, event);
  return decision.kind === "accepted"
    ? {
        state: new Map(state).set(decision.row.run, decision.row),
        effects: [{ type: "write", row: decision.row }],
        decision,
      }
    : { state, effects: [], decision };
};

/** What the rows occupy together, held reservations included. */
export const committed = (state: LedgerState): Resources =>
  [...state.values()]
    .filter((row) => isOccupying(row.state))
    .reduce((sum, row) => plus(sum, row.reserved), NOTHING);

const decide = (state: LedgerState, event: LedgerEvent): LedgerDecision => {
  if (event.type === "propose") return propose(state, event);
  const row = state.get(event.run);
  if (row === undefined) return refuse("LEDGER_UNKNOWN_RUN", `no run ${event.run}`);
  if (event.type === "lease") return takeOver(row, event);
  if (event.type === "abandon") return abandon(row, event);
  if (isFenced(row, event.generation)) {
    return refuse(
      "LEDGER_FENCED",
      `run ${row.run} is at generation ${row.lease.generation}, this is ${event.generation}`,
    );
  }
  return act(state, row, event);
};

const act = (state: LedgerState, row: RunRow, event: ActingEvent): LedgerDecision => {
  switch (event.type) {
    case "reserve":
      return reserve(state, row, event);
    case "intent":
      return dispatch(row, event);
    case "settle":
      return settle(row, event);
    case "hold":
      return hold(row, event);
    case "release":
      return release(row, event);
    case "conclude":
      return conclude(row, event);
    case "renew":
      return renew(row, event);
  }
};

type Of<T extends LedgerEvent["type"]> = Extract<LedgerEvent, { type: T }>;

const propose = (state: LedgerState, event: Of<"propose">): LedgerDecision => {
  const sameKey = [...state.values()].find((row) => row.key === event.key);
  if (sameKey !== undefined) {
    return sameKey.request === event.request
      ? { kind: "repeated", row: sameKey }
      : refuse("LEDGER_KEY_REUSED", `key ${event.key} belongs to run ${sameKey.run}`);
  }
  if (state.has(event.run)) return refuse("LEDGER_RUN_EXISTS", `run ${event.run} exists already`);
  return {
    kind: "accepted",
    row: {
      run: event.run,
      key: event.key,
      request: event.request,
      title: event.title,
      evidence: event.evidence,
      owner: event.owner,
      state: "PROPOSED",
      lease: { run: event.run, generation: 1, holder: event.holder, until: event.until },
      reserved: NOTHING,
      used: null,
      haltGeneration: null,
      intent: null,
      holdReason: null,
      outcome: null,
      createdAt: event.at,
      updatedAt: event.at,
    },
  };
};

const reserve = (state: LedgerState, row: RunRow, event: Of<"reserve">): LedgerDecision => {
  if (row.state === "RESERVED" || row.state === "DISPATCHED") {
    return repeatIf(row, sameResources(row.reserved, event.resources), "another reservation");
  }
  if (row.state !== "PROPOSED") return wrongState(row, "reserve");
  if (hasLapsed(row, event.at)) return lapsed(row);
  if (haltGate(event.halt, null) !== "open") return refuse("LEDGER_HALTED", "a halt is on");
  const short = overCeiling(event.resources, committed(state), event.ceiling);
  if (short !== null) {
    return refuse(
      "LEDGER_OVER_CEILING",
      `${short}: ${event.resources[short]} wanted, ` +
        `${committed(state)[short]} of ${event.ceiling[short]} taken`,
    );
  }
  return change(row, event.at, {
    state: "RESERVED",
    reserved: event.resources,
    haltGeneration: event.halt.generation,
  });
};

const dispatch = (row: RunRow, event: Of<"intent">): LedgerDecision => {
  if (row.state === "DISPATCHED") {
    return repeatIf(row, row.intent === event.intent, "another intent");
  }
  if (row.state !== "RESERVED") return wrongState(row, "dispatch");
  if (hasLapsed(row, event.at)) return lapsed(row);
  switch (haltGate(event.halt, row.haltGeneration)) {
    case "halted":
      return refuse("LEDGER_HALTED", "a halt is on");
    case "generation-changed":
      return refuse("LEDGER_HALTED", "a halt came and went since the run was reserved");
    case "open":
      return change(row, event.at, { state: "DISPATCHED", intent: event.intent });
  }
};

/** More than was reserved is no settlement: the difference was never anybody's to spend. */
const settle = (row: RunRow, event: Of<"settle">): LedgerDecision => {
  if (row.state === "SETTLED") {
    const same = row.used !== null && sameResources(row.used, event.used);
    return repeatIf(row, same, "another settlement");
  }
  if (row.state !== "DISPATCHED" && row.state !== "HELD") return wrongState(row, "settle");
  const over = RESOURCE_NAMES.find((name) => event.used[name] > row.reserved[name]);
  if (over === undefined) {
    return change(row, event.at, { state: "SETTLED", used: event.used, holdReason: null });
  }
  const holdReason = `OVERRUN_${over}`;
  return row.state === "HELD" && row.holdReason === holdReason
    ? { kind: "repeated", row }
    : change(row, event.at, { state: "HELD", holdReason });
};

const hold = (row: RunRow, event: Of<"hold">): LedgerDecision => {
  if (row.state === "HELD") return { kind: "repeated", row };
  if (row.state !== "DISPATCHED") return wrongState(row, "hold");
  return change(row, event.at, { state: "HELD", holdReason: event.reason });
};

/** The caller knows that no body was started, also when it had said that one would be. */
const release = (row: RunRow, event: Of<"release">): LedgerDecision => {
  if (row.state === "RELEASED") return { kind: "repeated", row };
  if (row.state === "SETTLED" || row.state === "HELD") return wrongState(row, "release");
  return change(row, event.at, { state: "RELEASED" });
};

const conclude = (row: RunRow, event: Of<"conclude">): LedgerDecision => {
  if (row.outcome !== null) {
    return repeatIf(row, sameOutcome(row.outcome, event.outcome), "another outcome");
  }
  if (row.state !== "SETTLED" && row.state !== "HELD" && row.state !== "RELEASED") {
    return wrongState(row, "conclude");
  }
  return change(row, event.at, { outcome: event.outcome });
};

const renew = (row: RunRow, event: Of<"renew">): LedgerDecision => {
  if (hasLapsed(row, event.at)) return lapsed(row);
  return change(row, event.at, {
    lease: { ...row.lease, until: Math.max(row.lease.until, event.until) },
  });
};

const takeOver = (row: RunRow, event: Of<"lease">): LedgerDecision => {
  if (!isOpen(row)) return wrongState(row, "lease");
  if (!hasLapsed(row, event.at)) {
    return refuse("LEDGER_LEASE_HELD", `run ${row.run} is leased to ${row.lease.holder}`);
  }
  return change(row, event.at, {
    owner: event.owner,
    lease: {
      run: row.run,
      generation: row.lease.generation + 1,
      holder: event.holder,
      until: event.until,
    },
  });
};

/**
 * Ends a run whose owner is gone and shuts the door behind that owner. Without a body the
 * reservation is released; with a body seen dead, all of it counts as used; otherwise it is held.
 */
const abandon = (row: RunRow, event: Of<"abandon">): LedgerDecision => {
  const state = abandonedState(row.state, event.bodyGone);
  const fencedBefore = state === row.state && row.lease.holder === RECOVERY_HOLDER;
  if (!isOpen(row) || (fencedBefore && row.outcome !== null)) return { kind: "repeated", row };
  return change(row, event.at, {
    state,
    outcome: row.outcome ?? { kind: "incomplete", reason: event.reason },
    used: state === "SETTLED" ? (row.used ?? row.reserved) : row.used,
    holdReason: state === "HELD" ? (row.holdReason ?? event.reason) : null,
    lease: {
      run: row.run,
      generation: row.lease.generation + 1,
      holder: RECOVERY_HOLDER,
      until: event.at,
    },
  });
};

const RECOVERY_HOLDER = "recovery";

const abandonedState = (state: RunState, bodyGone: boolean): RunState => {
  switch (state) {
    case "PROPOSED":
    case "RESERVED":
    case "RELEASED":
      return "RELEASED";
    case "DISPATCHED":
    case "HELD":
      return bodyGone ? "SETTLED" : "HELD";
    case "SETTLED":
      return "SETTLED";
  }
};

const hasLapsed = (row: RunRow, at: number): boolean => at >= row.lease.until;

const sameOutcome = (a: RunOutcome, b: RunOutcome): boolean => {
  switch (a.kind) {
    case "verdict":
      return b.kind === "verdict" && a.verdict === b.verdict;
    case "incomplete":
      return b.kind === "incomplete" && a.reason === b.reason;
    case "refused":
      return b.kind === "refused" && a.code === b.code;
  }
};

const change = (row: RunRow, at: number, fields: Partial<RunRow>): LedgerDecision => ({
  kind: "accepted",
  row: { ...row, ...fields, updatedAt: Math.max(row.updatedAt, at) },
});

const repeatIf = (row: RunRow, same: boolean, what: string): LedgerDecision =>
  same
    ? { kind: "repeated", row }
    : refuse("LEDGER_DIFFERENT_REPEAT", `run ${row.run} already has ${what}`);

const wrongState = (row: RunRow, verb: string): LedgerDecision =>
  refuse("LEDGER_WRONG_STATE", `can't ${verb} run ${row.run} while it is ${row.state}`);

const lapsed = (row: RunRow): LedgerDecision =>
  refuse("LEDGER_LEASE_LAPSED", `the lease of run ${row.run} ended at ${row.lease.until}`);

const refuse = (code: LedgerRefusal, why: string): LedgerDecision => ({
  kind: "refused",
  code,
  why,
});
