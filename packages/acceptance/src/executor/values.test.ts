import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { DrydockError, type JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { ReadAnswer, SendOutcome } from "../client/index.js";
import { answerOf, revisions } from "../testing/revisions.js";
import { ALIAS, type Rig, rig, type Subject } from "./testing/rig.js";

/** Planted wherever a value, a body, a credential or somebody's message could be. */
const CANARY = "CANARY";
const canary = (what: string): string => `${CANARY}_${what}`;

const SUBJECT: Subject = {
  ...ALIAS,
  specimen: {
    ...ALIAS.specimen,
    appliance: {
      kind: "collection",
      endpoint: "FIREWALL_ALIAS",
      readPath: "/api/v2/firewall/aliases",
      nameKey: "name",
      objects: [
        {
          name: canary("name"),
          type: "host",
          descr: canary("descr"),
          address: [canary("address")],
          detail: [canary("detail")],
        },
      ],
    },
    intents: [
      {
        operation: "set_firewall_alias_description_v1",
        raw_target_hint: { alias_name: canary("name") },
        new_description: canary("wanted"),
      },
      {
        operation: "set_firewall_alias_description_v1",
        raw_target_hint: { alias_name: canary("name") },
        new_description: canary("else"),
      },
    ],
  },
  place: 0,
};

/** Everything about a value that printing, logging or serialising it could show. */
const everything = (value: unknown): string => {
  const error =
    value instanceof Error
      ? [value.message, value.stack, everything(value.cause), inspect(Object.entries(value))]
      : [];
  const shown = inspect(value, { depth: 20, showHidden: true, maxStringLength: null });
  return [shown, JSON.stringify(value), ...error].join("\n");
};

const silent = (value: unknown): void => {
  assert.doesNotMatch(everything(value), new RegExp(CANARY));
};

/** An error whose every part says too much. */
const loud = (code: string): DrydockError =>
  new DrydockError(code, canary("message"), {
    fix: canary("fix"),
    cause: new Error(canary("cause")),
  });

const body = { code: 200, data: canary("body"), message: canary("message") };

const SENDS: readonly (readonly [string, () => Promise<SendOutcome>])[] = [
  ["answers with a body", async () => ({ kind: "answered", status: 200, body })],
  ["refuses with a body", async () => ({ kind: "answered", status: 400, body })],
  ["fails with a body", async () => ({ kind: "answered", status: 500, body })],
  [
    "gives a reason of its own",
    async () => ({ kind: "ambiguous", reason: canary("reason") as never }),
  ],
  [
    "gives another reason of its own",
    async () => ({ kind: "not-sent", reason: canary("reason") as never }),
  ],
  ["throws", () => Promise.reject(loud(canary("code")))],
  ["throws a word of ours", () => Promise.reject(loud("TRANSPORT_CONNECT"))],
  ["throws no error", () => Promise.reject(canary("thrown"))],
];

const allOf = (made: Rig, contractId: string): unknown => [
  made.store.load(contractId),
  made.store.audit(contractId),
];

for (const [what, send] of SENDS) {
  test(`a write client that ${what}: no outcome, contract or history holds a value`, async (t) => {
    const made = rig(t, SUBJECT);
    const { contractId } = await made.confirmed();
    made.send = send;
    silent(await made.executor.execute(contractId, made.adapter, made.intent));
    silent(allOf(made, contractId));

    const other = rig(t, SUBJECT);
    const verified = await other.verified();
    silent(verified);
    other.send = send;
    silent(await other.executor.rollback(verified.contractId, other.adapter));
    silent(allOf(other, verified.contractId));
  });
}

const READS: readonly (readonly [string, () => Promise<ReadAnswer>])[] = [
  ["throws", () => Promise.reject(loud(canary("code")))],
  ["throws a word of ours", () => Promise.reject(loud("TRANSPORT_TIMEOUT"))],
  ["throws no error", () => Promise.reject({ [canary("key")]: canary("thrown") })],
  ["answers something else", async () => ({ status: 200, body })],
  ["refuses", async () => ({ status: 403, body })],
];

for (const [what, read] of READS) {
  test(`a read client that ${what}: no error, outcome or history holds a value`, async (t) => {
    const made = rig(t, SUBJECT);
    const { contractId } = await made.confirmed();
    made.readThrough = () => read;
    const refused = await made.prepared(made.specimen.intents[1]).catch((error: unknown) => error);
    assert.ok(refused instanceof DrydockError);
    silent(refused);
    const ended = await made.executor.execute(contractId, made.adapter, made.intent);
    assert.equal(ended.contract.state, "FAILED");
    silent(ended);
    silent(allOf(made, contractId));
  });
}

/** Descriptions of revisions name people, addresses and what they changed. */
const saying = (count: number) =>
  revisions(count).map((row) => ({ ...row, description: canary("description") }));

const HISTORIES: readonly (readonly [string, () => Promise<ReadAnswer>])[] = [
  ...READS,
  ["answers", async () => answerOf(saying(3))],
  ["answers in disorder", async () => answerOf(saying(3).toReversed())],
  ["answers with more", async () => answerOf([{ ...saying(1)[0], [canary("key")]: 1 }])],
];

for (const [what, history] of HISTORIES) {
  test(`a history that ${what}: no outcome or line of history holds a value`, async (t) => {
    const made = rig(t, SUBJECT);
    made.history = history;
    const { contractId } = await made.confirmed();
    const forward = await made.executor.execute(contractId, made.adapter, made.intent);
    assert.equal(forward.kind, what === "answers" ? "verified" : "failed");
    silent(forward);
    silent(allOf(made, contractId));
    const other = rig(t, SUBJECT);
    const verified = await other.verified();
    other.history = history;
    const back = await other.executor
      .rollback(verified.contractId, other.adapter)
      .catch((error: unknown) => error);
    assert.equal(back instanceof DrydockError, what !== "answers");
    silent(back);
    silent(allOf(other, verified.contractId));
  });
}

for (const method of [
  "parseIntent",
  "parseTarget",
  "naturalIdentity",
  "identityOf",
  "readTarget",
  "fingerprint",
  "transportLocator",
  "buildRequest",
  "isSemanticallyVerified",
  "buildRollbackRequest",
  "isRollbackVerified",
] as const satisfies readonly (keyof CapabilityAdapter<JsonObject, JsonObject>)[]) {
  test(`an adapter whose ${method} throws: whatever it says stays behind`, async (t) => {
    for (const thrown of [loud(canary("code")), loud("TARGET_ABSENT"), canary("thrown")]) {
      const made = rig(t, SUBJECT);
      const broken = {
        ...made.adapter,
        [method]: () => {
          throw thrown;
        },
      };
      silent(await made.executor.prepare(broken, made.intent).catch((error: unknown) => error));
      const other = rig(t, SUBJECT);
      const { contractId } = await other.confirmed();
      const forward = await other.executor
        .execute(contractId, broken, other.intent)
        .catch((error: unknown) => error);
      silent(forward);
      silent(allOf(other, contractId));
      assert.notEqual(other.store.load(contractId).state, "EXECUTING");
      const third = rig(t, SUBJECT);
      const verified = await third.verified();
      const back = await third.executor
        .rollback(verified.contractId, broken)
        .catch((error: unknown) => error);
      silent(back);
      assert.notEqual(third.store.load(verified.contractId).state, "ROLLING_BACK");
    }
  });
}

test("refusals hold nothing of what was refused", async (t) => {
  const made = rig(t, SUBJECT);
  const { contractId } = await made.confirmed();
  for (const intent of [canary("intent"), { [canary("key")]: 1 }, made.specimen.intents[1]]) {
    silent(await made.executor.execute(contractId, made.adapter, intent).catch((error) => error));
    silent(await made.executor.prepare(made.adapter, intent).catch((error) => error));
  }
});

test("the scan sees what there is to see", async (t) => {
  const made = rig(t, SUBJECT);
  const identity = { alias_name: canary("name") };
  const target = await made.adapter.readTarget(made.appliance, identity);
  for (const value of [
    target,
    loud("CODE"),
    new Error("x", { cause: loud("CODE") }),
    { a: [target] },
  ]) {
    assert.throws(() => silent(value), assert.AssertionError);
  }
});
