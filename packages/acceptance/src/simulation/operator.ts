import type { HexDigest, RecoveryContract } from "../contract/index.js";
import type { SimulatedStore } from "./memory-store.js";

export type Way = "forward" | "back";

/** How a request went for whoever sent it; what the appliance did is another matter. */
export type Answer = "answered" | "not-sent" | "nothing-heard";

/**
 * Whoever works on contracts, one small step after another, so that anything can happen between
 * two of them. It knows only what it has read: `contract` is what it got, which may be old by now.
 */
export type Operator =
  | { readonly kind: "gone" }
  | { readonly kind: "idle" }
  | { readonly kind: "about-to-look"; readonly contract: RecoveryContract; readonly way: Way }
  | { readonly kind: "about-to-send"; readonly contract: RecoveryContract; readonly way: Way }
  | {
      readonly kind: "heard";
      readonly contract: RecoveryContract;
      readonly way: Way;
      readonly answer: Answer;
    };

/** What an operator can do in the world. */
export interface Hands {
  readonly store: SimulatedStore;
  /** What the target is now; null when the read fails. */
  read(contract: RecoveryContract): HexDigest | null;
  send(contract: RecoveryContract, way: Way): Answer;
  /** What the target is once it has been changed. */
  changed(contract: RecoveryContract): HexDigest;
}

const CAUSE = { failureClass: "SIMULATED", exceptionClass: null };

export const begin = (contract: RecoveryContract, way: Way, { store }: Hands): Operator => ({
  kind: "about-to-look",
  contract: way === "forward" ? store.acquireExecuting(contract) : store.beginRollback(contract),
  way,
});

/** The next step of what is under way. What the store refuses is thrown, and ends the work. */
export const proceed = (operator: Operator, hands: Hands): Operator => {
  switch (operator.kind) {
    case "gone":
    case "idle":
      return operator;
    case "about-to-look": {
      const { contract, way } = operator;
      const wanted =
        way === "forward" ? contract.targetFingerprint : contract.verifiedTargetFingerprint;
      if (hands.read(contract) === wanted) return { ...operator, kind: "about-to-send" };
      return failed(contract, way, hands);
    }
    case "about-to-send":
      return { ...operator, kind: "heard", answer: hands.send(operator.contract, operator.way) };
    case "heard":
      return conclude(operator, hands);
  }
};

const conclude = (
  { contract, way, answer }: Extract<Operator, { kind: "heard" }>,
  hands: Hands,
): Operator => {
  if (answer === "not-sent") return failed(contract, way, hands);
  const seen = answer === "answered" ? hands.read(contract) : null;
  const [before, after] = [contract.targetFingerprint, hands.changed(contract)];
  const locator = contract.lifecycleLocator;
  if (way === "forward" && seen === after) {
    hands.store.sealVerified(contract, { fingerprint: after, locator });
  } else if (way === "back" && seen === before) {
    hands.store.sealRolledBack(contract, { locator });
  } else if (seen === (way === "forward" ? before : after)) {
    return failed(contract, way, hands);
  } else {
    hands.store.enterReconciliation(contract, CAUSE);
  }
  return { kind: "idle" };
};

const failed = (contract: RecoveryContract, way: Way, { store }: Hands): Operator => {
  if (way === "forward") store.fail(contract, CAUSE);
  else store.failRollback(contract, CAUSE);
  return { kind: "idle" };
};
