import { isTooLate } from "./deadline.js";
import { MAX_ARMINGS } from "./limits.js";
import { matchArmings } from "./match.js";
import type { Arming, Operation, Phase, Plan } from "./model.js";
import { isMutation, phaseOf } from "./phase.js";
import { PASS } from "./plan.js";

/** What a proxy remembers from one request to the next. Times in milliseconds that only grow. */
export interface Session {
  readonly operation: Operation;
  /** Whether the operation's mutation has come. */
  readonly mutated: boolean;
  readonly armings: readonly Arming[];
  readonly mutationsUntil: number | null;
}

export type SessionEvent =
  /** A cycle or its way back starts: reads count as before a mutation again. */
  | { readonly type: "begin"; readonly operation: Operation }
  | { readonly type: "arm"; readonly arming: Arming }
  | { readonly type: "disarm" }
  /** A deadline only ever comes nearer. */
  | { readonly type: "deadline"; readonly mutationsUntil: number }
  /** The head of a request has come. */
  | { readonly type: "request"; readonly method: string; readonly at: number };

export type SessionEffect =
  | {
      readonly type: "exchange";
      readonly phase: Phase;
      readonly plan: Plan;
      /** Of the arming that fired, which is spent. */
      readonly arming: string | null;
    }
  /** No byte of it goes on. */
  | { readonly type: "refuse"; readonly phase: Phase; readonly reason: "MUTATION_DEADLINE" }
  | { readonly type: "full" };

export interface SessionStep {
  readonly state: Session;
  readonly effects: readonly SessionEffect[];
}

export const startSession = (mutationsUntil: number | null): Session => ({
  operation: "forward",
  mutated: false,
  armings: [],
  mutationsUntil,
});

export const stepSession = (state: Session, event: SessionEvent): SessionStep => {
  switch (event.type) {
    case "begin":
      return stay({ ...state, operation: event.operation, mutated: false });
    case "arm":
      return state.armings.length >= MAX_ARMINGS
        ? { state, effects: [{ type: "full" }] }
        : stay({ ...state, armings: [...state.armings, event.arming] });
    case "disarm":
      return stay({ ...state, armings: [] });
    case "deadline":
      return stay({
        ...state,
        mutationsUntil: Math.min(event.mutationsUntil, state.mutationsUntil ?? Infinity),
      });
    case "request":
      return request(state, event.method, event.at);
  }
};

const request = (state: Session, method: string, at: number): SessionStep => {
  const phase = phaseOf(state.operation, state.mutated, method);
  const mutation = isMutation(method);
  const mutated = state.mutated || mutation;
  // Refused ones count as sent: what is read after them is read back.
  if (mutation && isTooLate(at, state.mutationsUntil))
    return {
      state: { ...state, mutated },
      effects: [{ type: "refuse", phase, reason: "MUTATION_DEADLINE" }],
    };
  const { armings, fired } = matchArmings(state.armings, phase);
  return {
    state: { ...state, mutated, armings },
    effects: [{ type: "exchange", phase, plan: fired?.plan ?? PASS, arming: fired?.id ?? null }],
  };
};

const stay = (state: Session): SessionStep => ({ state, effects: [] });
