import { isDrydockError } from "@drydock/evidence";
import type { HexDigest, ReconciliationOutcome, RecoveryContract } from "../contract/index.js";
import { SimulatedAppliance } from "./appliance.js";
import { Watch } from "./invariants.js";
import { begin, type Hands, type Operator, proceed } from "./operator.js";
import type { Scene } from "./scene.js";

export interface Simulated {
  readonly contracts: readonly RecoveryContract[];
  /** Every refusal's code and every state that was seen. */
  readonly seen: ReadonlySet<string>;
}

const OPERATORS = 3;

const OUTCOMES: readonly ReconciliationOutcome[] = [
  "confirmed_applied",
  "confirmed_not_applied",
  "confirmed_rollback_applied",
  "confirmed_rollback_not_applied",
];

/**
 * Operators who share a store and an appliance, an owner who confirms and looks after what is lost,
 * and others who edit what they like, in an order that the scene's numbers decide.
 *
 * @throws Violation when something that has to hold didn't.
 */
export const simulate = (scene: Scene, steps: number): Simulated => {
  const { random } = scene;
  let time = scene.start;
  let names = 0;
  let signed = false;
  const store = scene.openStore(() => time);
  const appliance = new SimulatedAppliance(scene);
  const watch = new Watch();
  const operators: Operator[] = Array.from({ length: OPERATORS }, () => ({ kind: "gone" }));
  const remembered: RecoveryContract[] = [];
  const targets = new Set<HexDigest>();
  const seen = new Set<string>();

  const hands: Hands = {
    store,
    read: (contract) => appliance.read(contract),
    send: (contract, way) => {
      const holder = store.reservationOf(contract.targetIdentityDigest);
      return appliance.send(contract, way, holder?.contractId ?? null);
    },
    changed: scene.changed,
  };

  const pick = <T>(items: readonly T[]): T | undefined => items[random(Math.max(1, items.length))];
  /** A contract as somebody saw it: mostly of late, and sometimes as it was long ago. */
  const anyContract = (): RecoveryContract | undefined =>
    random(5) === 0 ? pick(remembered.slice(-50)) : pick(store.contracts().slice(-8));

  const prepare = (): void => {
    names += 1;
    const target = pick(scene.targets) ?? "";
    const terms = scene.termsOf(`c${String(names).padStart(4, "0")}`, target, store.now());
    targets.add(terms.targetIdentityDigest);
    const contract = store.create(terms);
    if (random(8) > 0) store.markPrepared(contract);
  };

  const confirm = (): void => {
    const contract = anyContract();
    if (contract === undefined) return;
    const nonce = (random(6) === 0 ? anyContract() : contract)?.contractId ?? "none";
    store.confirm(contract, scene.confirmation(contract, nonce), scene.verifier);
  };

  const truth = (contract: RecoveryContract): ReconciliationOutcome | null => {
    const now = appliance.look(contract);
    const [before, after] = [contract.targetFingerprint, scene.changed(contract)];
    if (now !== before && now !== after) return null;
    return contract.enteredReconciliationFrom === "EXECUTING"
      ? now === after
        ? "confirmed_applied"
        : "confirmed_not_applied"
      : now === before
        ? "confirmed_rollback_applied"
        : "confirmed_rollback_not_applied";
  };

  /** True of the step that wasn't interrupted. */
  const muddled = ({ enteredReconciliationFrom: from }: RecoveryContract) =>
    pick(OUTCOMES.slice(from === "EXECUTING" ? 2 : 0, from === "EXECUTING" ? 4 : 2)) ?? null;

  /**
   * An owner who looks and signs what is so, or takes one step for the other; or somebody who says
   * what he likes and can't sign.
   */
  const resolve = (): void => {
    const contract = anyContract();
    if (contract === undefined) return;
    const honest = random(3) > 0;
    const outcome = !honest
      ? (pick(OUTCOMES) ?? null)
      : random(6) === 0
        ? muddled(contract)
        : truth(contract);
    if (outcome === null) return;
    const evidence = scene.conclusion(contract, outcome, {
      issuedAt: store.now(),
      ...(outcome === "confirmed_applied" ? { fingerprint: scene.changed(contract) } : {}),
    });
    signed = honest;
    store.resolve(
      contract,
      honest ? evidence : { ...evidence, proof: Buffer.of(0) },
      scene.verifier,
    );
  };

  const wait = (): void => {
    time += pick([1, 1_000, 61_000, 61_000, 301_000]) ?? 1;
    if (random(3) === 0) store.expireOverdue();
  };

  const edit = (): void => {
    const target = pick([...targets]);
    if (target === undefined) return;
    if (random(3) === 0) appliance.edit(target, scene.edited(time));
    else if (store.reservationOf(target) === null) appliance.reset(target);
  };

  const restart = (): void => {
    const index = random(OPERATORS);
    if (operators[index]?.kind !== "gone") return;
    if (scene.oneWorkplace && operators.some(({ kind }) => kind !== "gone")) return;
    store.recoverInterrupted();
    operators[index] = { kind: "idle" };
  };

  const crash = (): void => {
    operators[random(OPERATORS)] = { kind: "gone" };
  };

  const work = (): void => {
    const index = random(OPERATORS);
    const operator = operators[index];
    if (operator === undefined || operator.kind === "gone") return;
    const dies = random(12) === 0;
    operators[index] = { kind: dies ? "gone" : "idle" };
    // Dying before its write is durable, or after and without knowing it.
    if (dies && random(2) === 0) return;
    const contract = operator.kind === "idle" ? anyContract() : undefined;
    if (operator.kind === "idle" && contract === undefined) return;
    const back = contract?.state === "VERIFIED" || random(10) === 0;
    const next =
      contract === undefined
        ? proceed(operator, hands)
        : begin(contract, back ? "back" : "forward", hands);
    if (!dies) operators[index] = next;
  };

  const actions = [
    prepare,
    prepare,
    confirm,
    confirm,
    resolve,
    wait,
    edit,
    crash,
    restart,
    restart,
  ];
  for (let index = 0; index < steps; index += 1) {
    signed = false;
    try {
      // Half of all that happens is work.
      (random(2) === 0 ? work : (pick(actions) ?? work))();
    } catch (error) {
      // Operators meet refusals and go on. What each left behind is what `watch` judges next, and
      // its code is what `seen` has to show: a scene that meets none tries nothing.
      if (!isDrydockError(error)) throw error;
      seen.add(error.code);
    }
    watch.look(store, appliance, signed);
    const contract = pick(store.contracts().slice(-4));
    if (contract !== undefined) remembered.push(contract);
    for (const { state } of store.contracts()) seen.add(state);
  }
  return { contracts: store.contracts(), seen };
};
