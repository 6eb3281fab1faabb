import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@drydock/evidence";
import { AdapterError, type CapabilityAdapter } from "../adapter/index.js";
import { TransportError } from "../client/index.js";
import { conclusionOf, confirmationOf } from "../testing/contracts.js";
import { createExecutor } from "./executor.js";
import { CONTRACT_TTL_MS } from "./prepare.js";
import { ALIAS, NOTICE, type Rig, rig } from "./testing/rig.js";

type Adapter = CapabilityAdapter<JsonObject, JsonObject>;

const { capability, endpointSymbol, httpMethod } = ALIAS.adapter;
const GRANT = { capability, endpointSymbol, httpMethod };

/** Refused before anything is acquired; and how it is without the one thing that is wrong. */
const EXECUTE_REFUSED: readonly (readonly [
  what: string,
  code: string,
  act: (made: Rig, contractId: string) => Promise<unknown>,
])[] = [
  [
    "another adapter",
    "EXECUTOR_ADAPTER_DIFFERENT",
    (made, id) => made.executor.execute(id, NOTICE.adapter, NOTICE.specimen.intents[0]),
  ],
  [
    "another version of the way back",
    "EXECUTOR_ADAPTER_DIFFERENT",
    (made, id) =>
      made.executor.execute(id, { ...made.adapter, rollbackPlanVersion: "other-v1" }, made.intent),
  ],
  ...[
    { capability: "OTHER_WRITE" },
    { endpointSymbol: "OTHER" },
    { httpMethod: "PUT" as const },
  ].map(
    (change) =>
      [
        `a policy that grants another ${Object.keys(change)[0]}`,
        "EXECUTOR_UNAUTHORISED",
        (made: Rig, id: string) =>
          createExecutor({
            ...made.options,
            policy: { grants: [{ ...GRANT, ...change }] },
          }).execute(id, made.adapter, made.intent),
      ] as const,
  ),
  [
    "a policy that grants nothing",
    "EXECUTOR_UNAUTHORISED",
    (made, id) =>
      createExecutor({ ...made.options, policy: { grants: [] } }).execute(
        id,
        made.adapter,
        made.intent,
      ),
  ],
  [
    "another intent",
    "EXECUTOR_INTENT_DIFFERENT",
    (made, id) => made.executor.execute(id, made.adapter, made.specimen.intents[1]),
  ],
  [
    "another target",
    "EXECUTOR_INTENT_DIFFERENT",
    (made, id) =>
      made.executor.execute(id, made.adapter, {
        ...made.intent,
        raw_target_hint: { alias_name: "LAB_ALIAS_2" },
      }),
  ],
  [
    "an intent with one key more",
    "INTENT_INVALID",
    (made, id) => made.executor.execute(id, made.adapter, { ...made.intent, id: 1 }),
  ],
  [
    "another key of the artifacts",
    "ARTIFACT_UNREADABLE",
    (made, id) =>
      createExecutor({ ...made.options, artifactKey: Buffer.alloc(32, 8) }).execute(
        id,
        made.adapter,
        made.intent,
      ),
  ],
  [
    "time that is over",
    "CONTRACT_EXPIRED",
    (made, id) => {
      made.clock.move(CONTRACT_TTL_MS);
      return made.executor.execute(id, made.adapter, made.intent);
    },
  ],
  [
    "an unknown contract",
    "CONTRACT_UNKNOWN",
    (made) => made.executor.execute("no", made.adapter, {}),
  ],
  [
    "nothing to take back yet",
    "CONTRACT_TRANSITION",
    (made, id) => made.executor.rollback(id, made.adapter),
  ],
];

for (const [what, code, act] of EXECUTE_REFUSED) {
  test(`${what} is refused, and leaves the contract as it is`, async (t) => {
    const made = rig(t);
    const before = await made.confirmed();
    await assert.rejects(act(made, before.contractId), { name: "DrydockError", code });
    assert.deepEqual(made.store.load(before.contractId), before);
    assert.equal(made.store.reservationOf(before.targetIdentityDigest), null);
    assert.equal(made.sends(), 0);
    if (code === "CONTRACT_EXPIRED") return;
    const after = await made.executor.execute(before.contractId, made.adapter, made.intent);
    assert.equal(after.kind, "verified", "without it");
  });
}

test("until a millisecond before it is over there is time", async (t) => {
  const made = rig(t);
  const { contractId } = await made.confirmed();
  made.clock.move(CONTRACT_TTL_MS - 1);
  const { kind } = await made.executor.execute(contractId, made.adapter, made.intent);
  assert.equal(kind, "verified");
});

test("what nobody confirmed isn't executed", async (t) => {
  const made = rig(t);
  const before = await made.prepared();
  const execute = () => made.executor.execute(before.contractId, made.adapter, made.intent);
  await assert.rejects(execute(), { code: "CONTRACT_UNCONFIRMED" });
  assert.deepEqual(made.store.load(before.contractId), before);
  made.executor.confirm(before.contractId, confirmationOf(before));
  assert.equal((await execute()).kind, "verified");
});

test("without a verifier nothing is confirmed and nothing is reconciled", async (t) => {
  const made = rig(t, ALIAS, { verifyConfirmation: null, verifyReconciliation: null });
  const contract = await made.prepared();
  assert.throws(() => made.executor.confirm(contract.contractId, confirmationOf(contract)), {
    code: "EVIDENCE_UNVERIFIED",
  });
  const other = rig(t);
  other.send = async () => ({ kind: "ambiguous", reason: "RESET" });
  const { contractId } = await other.confirmed();
  const lost = await other.executor.execute(contractId, other.adapter, other.intent);
  const evidence = conclusionOf(lost.contract, "confirmed_not_applied");
  const deaf = createExecutor({ ...other.options, verifyReconciliation: null });
  assert.throws(() => deaf.reconcile(contractId, evidence), { code: "EVIDENCE_UNVERIFIED" });
  assert.equal(other.executor.reconcile(contractId, evidence).state, "FAILED");
});

for (const [what, code, change] of [
  ["grants nothing", "EXECUTOR_UNAUTHORISED", { policy: { grants: [] } }],
] as const) {
  test(`an executor whose policy ${what} prepares and rolls back nothing`, async (t) => {
    const made = rig(t);
    const before = await made.verified();
    const other = createExecutor({ ...made.options, ...change });
    await assert.rejects(other.rollback(before.contractId, made.adapter), { code });
    await assert.rejects(other.prepare(made.adapter, made.intent), { code });
    assert.deepEqual(made.store.load(before.contractId), before);
    const { kind } = await made.executor.rollback(before.contractId, made.adapter);
    assert.equal(kind, "rolled-back");
  });
}

test("another adapter rolls nothing back", async (t) => {
  const made = rig(t);
  const before = await made.verified();
  await assert.rejects(made.executor.rollback(before.contractId, NOTICE.adapter), {
    code: "EXECUTOR_ADAPTER_DIFFERENT",
  });
  assert.deepEqual(made.store.load(before.contractId), before);
});

/** What an adapter may do wrong while it prepares; nothing is written down then. */
const BROKEN: readonly (readonly [what: string, code: string, change: Partial<Adapter>])[] = [
  [
    "refuses",
    "TARGET_ABSENT",
    { readTarget: () => Promise.reject(new AdapterError("TARGET_ABSENT")) },
  ],
  [
    "can't read",
    "TRANSPORT_RESET",
    { readTarget: () => Promise.reject(new TransportError("TRANSPORT_RESET")) },
  ],
  ["throws", "EXECUTOR_ADAPTER_BROKEN", { readTarget: () => Promise.reject(new TypeError("x")) }],
  [
    "reads another target",
    "EXECUTOR_TARGET_DIFFERENT",
    { readTarget: (client) => ALIAS.adapter.readTarget(client, { alias_name: "LAB_ALIAS_2" }) },
  ],
  ["has a locator below 0", "EXECUTOR_TARGET_UNFIT", { transportLocator: () => -1 }],
  ["has a locator beyond 2^31 - 1", "EXECUTOR_TARGET_UNFIT", { transportLocator: () => 2 ** 31 }],
  [
    "reads what a snapshot can't hold",
    "EXECUTOR_TARGET_UNFIT",
    {
      readTarget: async (client, identity) => ({
        ...(await ALIAS.adapter.readTarget(client, identity)),
        descr: "e\u0301",
      }),
    },
  ],
  [
    "writes to another endpoint",
    "EXECUTOR_ADAPTER_BROKEN",
    { buildRequest: () => ({ method: "PATCH", endpoint: "SYNTHETIC_NOTICE", body: {} }) },
  ],
  [
    "writes by another method",
    "EXECUTOR_ADAPTER_BROKEN",
    { buildRequest: () => ({ method: "DELETE", endpoint: "FIREWALL_ALIAS", body: {} }) },
  ],
  ["writes twice", "EXECUTOR_ADAPTER_BROKEN", { buildRequest: () => [] as never }],
  [
    "adds headers",
    "EXECUTOR_ADAPTER_BROKEN",
    { buildRequest: (...change) => ({ ...ALIAS.adapter.buildRequest(...change), headers: {} }) },
  ],
  [
    "reads a path that isn't listed",
    "TRANSPORT_NOT_ALLOW_LISTED",
    { readTarget: (client) => client.get("/api/v2/user" as never) as never },
  ],
  [
    "writes with the client that it reads with",
    "EXECUTOR_ADAPTER_BROKEN",
    { readTarget: (client) => (client as unknown as { send(): Promise<never> }).send() },
  ],
];

for (const [what, code, change] of BROKEN) {
  test(`an adapter that ${what} prepares nothing`, async (t) => {
    const made = rig(t);
    await assert.rejects(made.executor.prepare({ ...made.adapter, ...change }, made.intent), {
      name: "DrydockError",
      code,
    });
    assert.deepEqual(made.store.contracts(), []);
    assert.equal(made.appliance.writes.length, 0);
    assert.ok(await made.prepared(), "without it");
  });
}

/** What an adapter may do wrong once something was sent: nobody takes its word for the end then. */
const WRONG_IN_THE_END: readonly (readonly [what: string, change: Partial<Adapter>])[] = [
  [
    "leaves what it changes out of the fingerprint",
    {
      fingerprint: (target) => {
        const { descr: _, ...rest } = ALIAS.adapter.fingerprint(target);
        return rest;
      },
    },
  ],
  ["promises to say whether it was done", { isSemanticallyVerified: (async () => false) as never }],
];

for (const [what, change] of WRONG_IN_THE_END) {
  test(`an adapter that ${what} ends in RECONCILIATION`, async (t) => {
    const made = rig(t);
    const adapter = { ...made.adapter, ...change };
    const prepared = await made.executor.prepare(adapter, made.intent);
    made.executor.confirm(prepared.contractId, confirmationOf(prepared));
    const ended = await made.executor.execute(prepared.contractId, adapter, made.intent);
    assert.equal(ended.cause?.failureClass, "READBACK_DIFFERENT");
    assert.equal(ended.contract.state, "RECONCILIATION");
    assert.equal(made.sends(), 1);
    assert.ok(made.store.reservationOf(prepared.targetIdentityDigest));
  });
}

test("an adapter that promises to say whether it was taken back ends in ROLLBACK_FAILED", async (t) => {
  const made = rig(t);
  const { contractId } = await made.verified();
  const adapter = { ...made.adapter, isRollbackVerified: (async () => false) as never };
  const ended = await made.executor.rollback(contractId, adapter);
  assert.equal(ended.contract.state, "ROLLBACK_FAILED");
});

test("what changes nothing isn't prepared", async (t) => {
  const made = rig(t);
  made.edit("descr", "after");
  await assert.rejects(made.prepared(), { code: "INTENT_CHANGES_NOTHING" });
  assert.deepEqual(made.store.contracts(), []);
});
