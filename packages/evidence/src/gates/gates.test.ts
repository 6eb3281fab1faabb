import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../json/value.js";
import { EVENT_TYPES, type EventTypeName } from "../record/event-types.js";
import type { EvidenceRecord } from "../record/record.js";
import { testBoundaryManifest } from "../testing/boundary-fixture.js";
import { testLabManifest } from "../testing/lab-fixture.js";
import { GateEvaluator, worstOf } from "./evaluate.js";
import { type Gate, gateReader, gatesReader, VERDICTS } from "./gate.js";
import { matchRecord } from "./match.js";
import { plainRunGates } from "./plain-run.js";

let sequence = 0;
const record = (
  type: EventTypeName,
  decision: string | null,
  measurements: EvidenceRecord["measurements"],
  changes: Partial<EvidenceRecord> = {},
): EvidenceRecord => {
  sequence += 1;
  const { roles, class: witness, mechanism } = EVENT_TYPES[type];
  return {
    actor: "a",
    capability: null,
    class: witness,
    clockSource: "c",
    decision,
    event: `e.${sequence}`,
    idempotencyKey: null,
    measurements,
    mechanism,
    monotonicUs: 0,
    policy: null,
    prev: `sha256:${"0".repeat(64)}`,
    retention: "audit",
    role: roles[0],
    run: "r",
    schema: "drydock.record/v1",
    sequence,
    subject: null,
    type,
    wall: "2026-11-30T10:00:00.000Z",
    ...changes,
  };
};

const gate = (changes: Partial<Gate> = {}): Gate => ({
  id: "G",
  title: "t",
  require: [
    {
      role: "controller",
      type: "destroy",
      class: "HOST_OBSERVED",
      mechanism: "KERNEL",
      where: [{ op: "eq", path: "decision", value: "clean" }],
      min: 1,
      max: 1,
      outcome: "INCOMPLETE",
    },
  ],
  forbid: [
    {
      role: "controller",
      type: "bounds.exceeded",
      class: "HOST_OBSERVED",
      mechanism: null,
      where: [{ op: "gt", path: "measurements.observed", value: 10 }],
      outcome: "FAIL",
    },
  ],
  ...changes,
});

const evaluate = (records: readonly EvidenceRecord[], item: Gate = gate()) => {
  const evaluator = new GateEvaluator([item]);
  for (const entry of records) evaluator.observe(entry);
  return evaluator.results()[0]?.result;
};

const clean = () => record("destroy", "clean", { leftovers: [] });
const exceeded = (observed: JsonValue) =>
  record("bounds.exceeded", null, { bound: "b", limit: 1, observed });

test("a requirement counts matching records between min and max", () => {
  assert.equal(evaluate([]), "INCOMPLETE");
  assert.equal(evaluate([clean()]), "PASS");
  assert.equal(evaluate([clean(), clean()]), "INCOMPLETE");
  assert.equal(evaluate([record("destroy", "leftovers", { leftovers: ["x"] })]), "INCOMPLETE");
});

test("another role, class or mechanism is another fact", () => {
  const good = clean();
  for (const changes of [
    { role: "port" },
    { class: "GUEST_ASSERTED" },
    { mechanism: "VMM" },
    { mechanism: null },
  ] as const) {
    assert.equal(evaluate([{ ...good, ...changes }]), "INCOMPLETE", JSON.stringify(changes));
  }
});

test("a prohibition that can't be decided counts as tripped", () => {
  assert.equal(evaluate([clean(), exceeded(10)]), "PASS");
  assert.equal(evaluate([clean(), exceeded(11)]), "FAIL");
  assert.equal(evaluate([clean(), exceeded("a lot")]), "FAIL");
  assert.equal(evaluate([clean(), record("bounds.exceeded", null, {})]), "FAIL");
});

test("each operator, on a value that is there, of another kind, and missing", () => {
  const cases: readonly (readonly [string, JsonValue, JsonValue | undefined, string])[] = [
    ["eq", 1, 1, "yes"],
    ["eq", 1, "1", "no"],
    ["eq", 1, undefined, "unknown"],
    ["ne", 1, 2, "yes"],
    ["ne", 1, undefined, "unknown"],
    ["lt", 2, 1, "yes"],
    ["lt", 2, 2, "no"],
    ["le", 2, 2, "yes"],
    ["gt", 2, 2, "no"],
    ["ge", 2, 2, "yes"],
    ["ge", 2, "2", "unknown"],
    ["in", ["a", "b"], "b", "yes"],
    ["in", ["a", "b"], "c", "no"],
    ["in", ["a"], undefined, "unknown"],
    ["present", null, 0, "yes"],
    ["present", null, null, "no"],
    ["absent", null, undefined, "yes"],
    ["absent", null, 0, "no"],
  ];
  for (const [op, value, found, expected] of cases) {
    const parsed = gateReader.read(
      {
        id: "G",
        title: "t",
        require: [{ ...gate().require[0], where: [{ op, path: "measurements.a.b", value }] }],
        forbid: [],
      } as unknown as JsonValue,
      "gate",
    );
    const pattern = parsed.require[0];
    assert(pattern !== undefined);
    const measurements = { a: found === undefined ? {} : { b: found } };
    assert.equal(
      matchRecord(pattern, record("destroy", "clean", measurements)),
      expected,
      `${op} ${JSON.stringify(value)} ${JSON.stringify(found)}`,
    );
  }
});

test("malformed gates are refused", () => {
  const read = (changes: object) =>
    gateReader.read({ ...gate(), ...changes } as unknown as JsonValue, "gate");
  read({});
  const [requirement] = gate().require;
  for (const [changes, code] of [
    [{ require: [] }, "SHAPE_RULE"],
    [{ require: [{ ...requirement, min: 0 }] }, "SHAPE_RANGE"],
    [{ require: [{ ...requirement, min: 2, max: 1 }] }, "SHAPE_RULE"],
    [{ require: [{ ...requirement, outcome: "PASS" }] }, "SHAPE_ENUM"],
    [{ require: [{ ...requirement, class: null }] }, "SHAPE_ENUM"],
    [
      { require: [{ ...requirement, where: [{ op: "eq", path: "prev", value: 1 }] }] },
      "SHAPE_PATTERN",
    ],
    [
      { require: [{ ...requirement, where: [{ op: "lt", path: "decision", value: "1" }] }] },
      "SHAPE_RULE",
    ],
  ] as const) {
    assert.throws(() => read(changes), { code }, JSON.stringify(changes));
  }
  const gates = [gate(), gate()] as unknown as JsonValue;
  assert.throws(() => gatesReader.read(gates, "gates"), { code: "SHAPE_RULE" });
});

test("INVALID > FAIL > UNCERTAIN > INCOMPLETE > PASS", () => {
  VERDICTS.forEach((worst, index) => {
    assert.equal(worstOf(VERDICTS.slice(index).reverse()), worst);
  });
  assert.equal(worstOf([]), "PASS");
});

test("the gates of runs, boundaries and rehearsals are well formed, and each watches types that exist", () => {
  const gates = [plainRunGates(), testBoundaryManifest().gates, testLabManifest().gates].flatMap(
    (list) => gatesReader.read(list as unknown as JsonValue, "gates"),
  );
  for (const { id, require, forbid } of gates) {
    for (const pattern of [...require, ...forbid]) {
      const type = EVENT_TYPES[pattern.type as EventTypeName];
      assert(type !== undefined, `${id}: ${pattern.type}`);
      for (const { path, value } of pattern.where) {
        if (path !== "decision") continue;
        for (const one of Array.isArray(value) ? value : [value])
          assert(
            type.decisions?.some((decision) => decision === one),
            `${id}: ${String(one)}`,
          );
      }
    }
  }
});
