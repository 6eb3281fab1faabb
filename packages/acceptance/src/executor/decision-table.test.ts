import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@drydock/evidence";
import { type SendOutcome, TransportError } from "../client/index.js";
import type { ContractState } from "../contract/index.js";
import { ALIAS, type Rig, rig } from "./testing/rig.js";

/** One of each kind of thing that can come of a send; single statuses are in judge-send.test.ts. */
const OUTCOMES: Readonly<Record<string, () => Promise<SendOutcome>>> = {
  "2xx": async () => ({ kind: "answered", status: 200, body: {} }),
  "4xx": async () => ({ kind: "answered", status: 404, body: {} }),
  "3xx": async () => ({ kind: "answered", status: 302, body: {} }),
  "5xx": async () => ({ kind: "answered", status: 503, body: {} }),
  "not connected": async () => ({ kind: "not-sent", reason: "CONNECT_FAILED" }),
  "not allowed": async () => ({ kind: "not-sent", reason: "NOT_ALLOW_LISTED" }),
  reset: async () => ({ kind: "ambiguous", reason: "RESET" }),
  timeout: async () => ({ kind: "ambiguous", reason: "TIMEOUT" }),
  thrown: () => Promise.reject(new Error("connect ECONNREFUSED")),
  "thrown at once": () => {
    throw new TransportError("TRANSPORT_CONNECT");
  },
};

/** What there is to see afterwards. */
const AFTERWARDS: Readonly<Record<string, (made: Rig, aim: JsonObject) => void>> = {
  "as before": () => undefined,
  "as asked": (made, aim) => made.edit("descr", aim["descr"] ?? ""),
  "something else": (made) => made.edit("descr", "somebody else's"),
  "as asked and more": (made, aim) => {
    made.edit("descr", aim["descr"] ?? "");
    made.edit("address", ["192.0.2.9", "192.0.2.2"]);
  },
  "as asked elsewhere": (made, aim) => {
    made.edit("descr", aim["descr"] ?? "");
    made.appliance.objects = [...made.appliance.objects].reverse();
  },
  gone: (made) => {
    made.appliance.objects = made.appliance.objects.filter((_, at) => at !== made.place);
  },
  unreadable: (made) => {
    made.readThrough = () => () => Promise.reject(new TransportError("TRANSPORT_TIMEOUT"));
  },
};

type End = readonly [ContractState, held: boolean];

const FAILED: End = ["FAILED", false];
const RECONCILIATION: End = ["RECONCILIATION", true];
const ROLLBACK_FAILED: End = ["ROLLBACK_FAILED", true];

/** What is seen has no say unless the appliance said yes: then it alone has. */
const FORWARD_2XX: Readonly<Record<string, End>> = {
  "as before": FAILED,
  "as asked": ["VERIFIED", false],
  "something else": RECONCILIATION,
  "as asked and more": RECONCILIATION,
  "as asked elsewhere": RECONCILIATION,
  gone: RECONCILIATION,
  unreadable: RECONCILIATION,
};

const BACK_2XX: Readonly<Record<string, End>> = {
  "as before": ROLLBACK_FAILED,
  "as asked": ["ROLLED_BACK", false],
  "something else": ROLLBACK_FAILED,
  "as asked and more": ROLLBACK_FAILED,
  "as asked elsewhere": RECONCILIATION,
  gone: RECONCILIATION,
  unreadable: RECONCILIATION,
};

const PROVEN: ReadonlySet<string> = new Set(["4xx", "not connected", "not allowed"]);

const forwardEnd = (outcome: string, afterwards: string): End | undefined => {
  if (outcome === "2xx") return FORWARD_2XX[afterwards];
  return PROVEN.has(outcome) ? FAILED : RECONCILIATION;
};

const backEnd = (outcome: string, afterwards: string): End | undefined => {
  if (outcome === "2xx") return BACK_2XX[afterwards];
  return PROVEN.has(outcome) ? ROLLBACK_FAILED : RECONCILIATION;
};

for (const [outcome, send] of Object.entries(OUTCOMES)) {
  for (const [afterwards, arrange] of Object.entries(AFTERWARDS)) {
    test(`forward: ${outcome}, then ${afterwards}`, async (t) => {
      const made = rig(t, ALIAS);
      const { contractId } = await made.confirmed();
      made.send = () => {
        arrange(made, { descr: "after" });
        return send();
      };
      const ended = await made.executor.execute(contractId, made.adapter, made.intent);
      const expected = forwardEnd(outcome, afterwards);
      assert.ok(expected);
      check(made, ended, expected);
    });

    test(`back: ${outcome}, then ${afterwards}`, async (t) => {
      const made = rig(t, ALIAS);
      const { contractId } = await made.verified();
      const before = made.sends();
      made.send = () => {
        arrange(made, { descr: "before" });
        return send();
      };
      const ended = await made.executor.rollback(contractId, made.adapter);
      const expected = backEnd(outcome, afterwards);
      assert.ok(expected);
      check(made, ended, expected, before);
    });
  }
}

const check = (
  made: Rig,
  {
    contract,
    sends,
    automaticRetry,
    cause,
  }:
    | Awaited<ReturnType<Rig["executor"]["execute"]>>
    | Awaited<ReturnType<Rig["executor"]["rollback"]>>,
  [state, held]: End,
  before = 0,
): void => {
  assert.equal(contract.state, state);
  assert.equal(made.store.load(contract.contractId).state, state);
  assert.equal(made.store.reservationOf(contract.targetIdentityDigest) !== null, held);
  assert.equal(sends, 1);
  assert.equal(made.sends() - before, 1, "one send, whatever came of it");
  assert.equal(automaticRetry, false);
  const last = made.store.audit(contract.contractId).at(-1);
  assert.equal(last?.currentState, state);
  assert.equal(last?.failureClass ?? null, cause?.failureClass ?? null);
  made.store.verify();
};

test("every cell of the table is there", () => {
  for (const afterwards of Object.keys(AFTERWARDS)) {
    assert.ok(FORWARD_2XX[afterwards]);
    assert.ok(BACK_2XX[afterwards]);
  }
});
