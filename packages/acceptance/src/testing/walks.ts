import assert from "node:assert/strict";
import {
  begin,
  type ContractEvent,
  type ContractEventType,
  type RecoveryContract,
  step,
} from "../contract/index.js";
import type { RateStanding } from "../rate/index.js";
import { AFTER, CAUSE, digestFor, START, termsFor } from "./contracts.js";

/** Nothing else goes on. */
export const ALONE: RateStanding = {
  inFlight: 0,
  outstanding: 0,
  unresolved: 0,
  cooledAt: null,
  holder: null,
  target: digestFor("target"),
};

const EVIDENCE = { digest: digestFor("evidence"), authorityId: "owner", nonce: "n" };

type Fields<T extends ContractEventType> = Omit<
  Extract<ContractEvent, { type: T }>,
  "type" | "seen" | "at"
>;

/** What each event says when nothing is wrong with it. */
const USUAL: { readonly [T in ContractEventType]: Fields<T> } = {
  prepared: {},
  confirm: EVIDENCE,
  acquire: { standing: ALONE },
  expire: {},
  fail: { cause: CAUSE },
  "seal-verified": { fingerprint: AFTER, locator: 7 },
  "lose-track": { cause: CAUSE },
  "begin-rollback": { standing: ALONE },
  "seal-rolled-back": { locator: 7 },
  "fail-rollback": { cause: CAUSE },
  interrupted: {},
  resolve: { ...EVIDENCE, outcome: "confirmed_applied", fingerprint: AFTER, locator: 7 },
};

export const EVENT_TYPES = Object.keys(USUAL) as readonly ContractEventType[];

/** An event at a contract's own version, a second after it was created. */
export const eventFor = <T extends ContractEventType>(
  contract: Pick<RecoveryContract, "stateVersion" | "createdAt">,
  type: T,
  fields: Partial<Omit<Extract<ContractEvent, { type: T }>, "type">> = {},
): ContractEvent =>
  ({
    type,
    seen: contract.stateVersion,
    at: contract.createdAt + 1_000,
    ...USUAL[type],
    ...fields,
  }) as ContractEvent;

/** Where the shortest ways lead: each place by the events to it. */
export const PLACES = {
  PREPARING: [],
  PREPARED: ["prepared"],
  CONFIRMED: ["prepared", "confirm"],
  EXECUTING: ["prepared", "confirm", "acquire"],
  VERIFIED: ["prepared", "confirm", "acquire", "seal-verified"],
  ROLLING_BACK: ["prepared", "confirm", "acquire", "seal-verified", "begin-rollback"],
  ROLLED_BACK: [
    "prepared",
    "confirm",
    "acquire",
    "seal-verified",
    "begin-rollback",
    "seal-rolled-back",
  ],
  ROLLBACK_FAILED: [
    "prepared",
    "confirm",
    "acquire",
    "seal-verified",
    "begin-rollback",
    "fail-rollback",
  ],
  LOST: ["prepared", "confirm", "acquire", "lose-track"],
  LOST_ROLLBACK: [
    "prepared",
    "confirm",
    "acquire",
    "seal-verified",
    "begin-rollback",
    "lose-track",
  ],
  FAILED: ["prepared", "fail"],
  EXPIRED: ["prepared", "expire"],
} as const satisfies Readonly<Record<string, readonly ContractEventType[]>>;

export type Place = keyof typeof PLACES;

export const contractAt = (place: Place, name = "c1"): RecoveryContract => {
  const { contract, refusal } = begin(termsFor(name), { standing: ALONE, at: START });
  assert.equal(refusal, null);
  return PLACES[place].reduce<RecoveryContract>((before, type) => {
    const late = type === "expire" ? { at: before.expiresAt } : {};
    const { contract: after, refusal: why } = step(before, eventFor(before, type, late));
    assert.equal(why, null);
    return after;
  }, contract);
};
