import { DrydockError } from "@drydock/evidence";
import type { ContractEffect, ContractStep } from "../contract/index.js";
import { contractDigest, contractRow } from "./contract-row.js";
import { eventRow } from "./event-row.js";
import { headRow, type StoreHead } from "./head.js";
import { isSpent } from "./is-spent.js";
import type { FaultHooks } from "./port.js";
import { cooldownRow, nonceRow, reservationRow } from "./small-rows.js";
import type { Reading, Snapshot } from "./snapshot.js";

/** Writes what a step says, and the head that follows from it. Within a transaction. */
export const applyStep = (
  { statements, mac }: Reading,
  { head }: Snapshot,
  { contract, effects }: ContractStep,
  { write, hooks }: { readonly write: string; readonly hooks: FaultHooks },
): StoreHead => {
  const apply = (before: StoreHead, effect: ContractEffect): StoreHead => {
    switch (effect.type) {
      case "write": {
        const row = contractRow(effect.contract, mac);
        if (effect.contract.stateVersion === 1) statements.addContract(row);
        else statements.putContract(row);
        hooks.afterRecordWrite?.(write);
        return before;
      }
      case "spend-nonce":
        if (isSpent(statements, effect)) {
          throw new DrydockError(
            "EVIDENCE_REPLAYED",
            `contract ${effect.contractId}: its evidence has a nonce that was used`,
            { fix: "Sign again, with a new nonce." },
          );
        }
        statements.spendNonce(nonceRow(effect, mac));
        return { ...before, nonces: before.nonces + 1 };
      case "reserve": {
        const { target, contractId } = effect;
        statements.reserve(reservationRow({ targetIdentityDigest: target, contractId }, mac));
        return { ...before, reservations: before.reservations + 1 };
      }
      case "release":
        return {
          ...before,
          reservations: before.reservations - statements.release(effect.target),
        };
      case "cool-down": {
        const isNew = statements.cooldown(effect.target) === undefined;
        statements.putCooldown(cooldownRow(effect.target, effect.until, mac));
        return { ...before, cooldowns: before.cooldowns + (isNew ? 1 : 0) };
      }
      case "audit": {
        const { event } = effect;
        const place = {
          sequence: before.events + 1,
          previous: before.head,
          contractDigest: contractDigest(contract),
        };
        const row = eventRow(event, place, mac);
        statements.addEvent(row);
        return {
          ...before,
          head: row.mac,
          events: row.sequence,
          latest: event.at,
          states: moved(before.states, event.previousState, event.currentState),
        };
      }
    }
  };
  const after = effects.reduce(apply, head);
  statements.putHead(headRow(after, mac));
  return after;
};

type States = StoreHead["states"];

const moved = (states: States, from: keyof States | null, to: keyof States): States => {
  const without = from === null ? states : { ...states, [from]: states[from] - 1 };
  return { ...without, [to]: without[to] + 1 };
};
