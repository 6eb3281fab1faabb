import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OPERATOR_SURFACES, parseAttestation } from "./attestation.js";
import { requireValid } from "./require-valid.js";

const GOOD = {
  schema_version: 1,
  lab_identity: "lab-adr026",
  candidate: "LAB_ADR026_ALIAS",
  issued_at: "2026-11-30T12:00:00Z",
  expires_at: "2026-11-30T12:10:00Z",
  target_is_disposable_lab: true,
  candidate_is_synthetic_test_only: true,
  verified_no_operational_references: true,
  operator_checked_surfaces: [...OPERATOR_SURFACES],
};

const parse = (value: unknown) => parseAttestation(Buffer.from(JSON.stringify(value)));
const refusedAt = (text: string, where: RegExp): void =>
  assert.throws(() => parseAttestation(Buffer.from(text)), {
    code: "LAB_ATTESTATION_INVALID",
    message: where,
  });

describe("an attestation", () => {
  test("of version 1 is read", () => {
    assert.deepEqual(parse(GOOD), {
      labIdentity: "lab-adr026",
      candidate: "LAB_ADR026_ALIAS",
      issuedAt: Date.UTC(2026, 10, 30, 12),
      expiresAt: Date.UTC(2026, 10, 30, 12, 10),
    });
  });

  test("names its surfaces in any order", () => {
    parse({ ...GOOD, operator_checked_surfaces: [...OPERATOR_SURFACES].reverse() });
  });

  for (const key of Object.keys(GOOD))
    test(`without ${key} is refused`, () => {
      const { [key as keyof typeof GOOD]: _, ...rest } = GOOD;
      refusedAt(JSON.stringify(rest), /SHAPE_KEY_MISSING/);
    });

  for (const [key, values] of Object.entries({
    schema_version: [0, 2, "1", true, null],
    lab_identity: ["", "x".repeat(65), 1],
    candidate: ["", "L".repeat(32), null],
    issued_at: [
      "2026-11-30T12:00:00",
      "2026-11-30T12:00:00.000Z",
      "2026-11-30T12:00:00+00:00",
      "2026-11-30 12:00:00Z",
      "2026-11-30t12:00:00z",
      "2026-02-30T12:00:00Z",
      "2026-11-31T12:00:00Z",
      "2026-11-30T24:00:00Z",
      "2026-11-30T12:00:60Z",
      1_796_040_000,
    ],
    expires_at: ["never", null],
    target_is_disposable_lab: [false, "true", 1, null],
    candidate_is_synthetic_test_only: [false, "yes"],
    verified_no_operational_references: [false, null],
    operator_checked_surfaces: [
      [],
      OPERATOR_SURFACES.slice(1),
      [...OPERATOR_SURFACES, "nat"],
      [...OPERATOR_SURFACES.slice(1), "nat"],
      [...OPERATOR_SURFACES.slice(1), "everything"],
      "nat",
    ],
  }))
    for (const value of values)
      test(`with ${key} ${JSON.stringify(value)} is refused there`, () => {
        refusedAt(JSON.stringify({ ...GOOD, [key]: value }), new RegExp(`\\$\\.${key}`));
      });

  test("with another key, a key twice or bytes behind it is refused, and not repeated", () => {
    const text = JSON.stringify(GOOD);
    for (const broken of [
      JSON.stringify({ ...GOOD, note: "secret-host" }),
      text.replace("{", '{"candidate":"LAB_ADR026_ALIAS",'),
      `${text} {}`,
      `\ufeff${text}`,
      text.slice(0, -1),
      "[]",
      "",
    ])
      refusedAt(broken, /^the attestation is refused at (?!.*secret-host)/);
  });
});

describe("an attestation's time", () => {
  const issuedAt = Date.UTC(2026, 10, 30, 12);
  const inputs = { identity: "lab-1", candidate: "LAB_A", now: issuedAt };
  const attestation = {
    labIdentity: "lab-1",
    candidate: "LAB_A",
    issuedAt,
    expiresAt: issuedAt + 10 * 60_000,
  };
  const at = (change: Partial<typeof attestation>, more: Partial<typeof inputs> = {}) =>
    requireValid({ ...attestation, ...change }, { ...inputs, ...more });

  test("is ten minutes at most, and some", () => {
    at({});
    at({ expiresAt: issuedAt + 599_000 });
    at({ expiresAt: issuedAt + 1000 });
    for (const validity of [601_000, 0, -1000])
      assert.throws(() => at({ expiresAt: issuedAt + validity }), { code: "LAB_ATTESTATION_TIME" });
  });

  test("begins 30 seconds ahead at most", () => {
    at({}, { now: issuedAt - 30_000 });
    for (const now of [issuedAt - 30_001, issuedAt - 31_000])
      assert.throws(() => at({}, { now }), { code: "LAB_ATTESTATION_TIME" });
  });

  test("ends when it says", () => {
    at({}, { now: issuedAt + 599_999 });
    for (const now of [issuedAt + 600_000, issuedAt + 600_001])
      assert.throws(() => at({}, { now }), { code: "LAB_ATTESTATION_EXPIRED" });
  });

  test("is for the lab and the candidate of the inputs", () => {
    for (const change of [
      { labIdentity: "lab-2" },
      { labIdentity: "LAB-1" },
      { candidate: "LAB_B" },
      { candidate: "lab_a" },
    ])
      assert.throws(() => at(change), { code: "LAB_ATTESTATION_ELSEWHERE" });
  });
});
