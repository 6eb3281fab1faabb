import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import { CONTRACT_STATES } from "../contract/index.js";
import {
  conclusionOf,
  confirmationOf,
  digestFor,
  START,
  termsFor,
  verifier,
} from "../testing/contracts.js";
import { storePlace } from "../testing/stores.js";
import { memoryStore } from "./memory-store.js";
import { seededRandom } from "./random.js";
import type { Scene } from "./scene.js";
import { simulate } from "./simulate.js";
import { Violation } from "./violation.js";

const STEPS = 150;

/** A run is some hundred steps of others' properties. */
const RUNS = Math.max(200, profile.fuzz / 10);

const scene = (seed: number, fields: Partial<Scene> = {}): Scene => ({
  random: seededRandom(seed),
  openStore: memoryStore,
  start: START,
  targets: ["red", "green", "blue"],
  termsOf: (name, target, at) => termsFor(name, { target, at }),
  changed: ({ targetIdentityDigest }) => digestFor(`${targetIdentityDigest} changed`),
  edited: (at) => digestFor(`edited at ${at}`),
  confirmation: (contract, nonce) => confirmationOf(contract, { nonce }),
  conclusion: conclusionOf,
  verifier,
  oneWorkplace: true,
  ...fields,
});

const run = (seed: number, fields: Partial<Scene> = {}) => {
  try {
    return simulate(scene(seed, fields), STEPS);
  } catch (error) {
    if (error instanceof Violation) error.message += ` (seed ${seed})`;
    throw error;
  }
};

test("whatever the order, and wherever anybody dies: nothing is sent twice, no lock is lost, and RECONCILIATION is left under signature", () => {
  const seen = new Set<string>();
  for (let index = 0; index < RUNS; index += 1) {
    for (const what of run(profile.seed + index).seen) seen.add(what);
  }
  // It went everywhere, and was refused in every way.
  for (const state of CONTRACT_STATES) assert.ok(seen.has(state), state);
  for (const code of [
    "CONTRACT_STALE",
    "CONTRACT_TRANSITION",
    "CONTRACT_EXPIRED",
    "CONTRACT_UNCONFIRMED",
    "CONTRACT_CONFIRMED",
    "CONTRACT_OUTCOME",
    "EVIDENCE_MISMATCH",
    "EVIDENCE_REPLAYED",
    "EVIDENCE_UNVERIFIED",
    "RATE_COOLDOWN",
    "RATE_LOCKOUT",
    "RATE_OUTSTANDING",
    "TARGET_RESERVED",
  ]) {
    assert.ok(seen.has(code), code);
  }
});

test("with two operators at work at once something of this fails, which is why a store has one workplace", () => {
  let violation: string | null = null;
  for (let index = 0; index < 2_000 && violation === null; index += 1) {
    try {
      run(profile.seed + index, { oneWorkplace: false });
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      violation = error.message;
    }
  }
  assert.match(violation ?? "none", /sent without its lock|changed the appliance and is/);
});

test("the store for use does in every order what the rules over maps do", (t) => {
  for (let index = 0; index < Math.max(3, profile.kills / 5); index += 1) {
    const seed = profile.seed + index;
    const inMemory = run(seed);
    const place = storePlace(t);
    const onDisk = run(seed, { openStore: (clock) => place.open({ clock }) });
    assert.deepEqual(onDisk.contracts, inMemory.contracts);
    assert.deepEqual([...onDisk.seen].sort(), [...inMemory.seen].sort());
    place.open({ clock: () => START }).verify();
  }
});
