import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvidenceRecord } from "../record/record.js";
import { utf8 } from "../testing/bytes.js";
import { testKey } from "../testing/keys.js";
import { controllerTrustEntry, trustOf } from "../testing/trust.js";
import { delegationMeasurements } from "./delegate.js";
import { delegatedAuthority } from "./delegated-authority.js";
import { mayAssert } from "./may-assert.js";
import { maySign } from "./may-sign.js";
import { type Authority, parseTrust, type TrustEntry } from "./trust.js";

const key = testKey("controller");
const port = testKey("port");
const authority = (changes: Partial<TrustEntry> = {}): Authority => {
  const [only] = trustOf(controllerTrustEntry(key.public, changes)).authorities;
  assert(only !== undefined);
  return only;
};

test("a trust file is strict: keys, ids, unknown fields, empty windows", () => {
  const entry = controllerTrustEntry(key.public);
  const read = (value: unknown) => parseTrust(utf8(JSON.stringify(value)));
  read({ schema: "drydock.trust/v1", keys: [entry] });
  const refused: readonly (readonly [unknown, string])[] = [
    [{ schema: "drydock.trust/v2", keys: [] }, "SHAPE_ENUM"],
    [{ schema: "drydock.trust/v1", keys: [{ ...entry, note: "" }] }, "SHAPE_KEY_UNKNOWN"],
    [{ schema: "drydock.trust/v1", keys: [entry, entry] }, "SHAPE_RULE"],
    [{ schema: "drydock.trust/v1", keys: [{ ...entry, spki: port.public.spki }] }, "TRUST_KEY_ID"],
    [{ schema: "drydock.trust/v1", keys: [{ ...entry, spki: "AAAA" }] }, "KEY_FORMAT"],
    [{ schema: "drydock.trust/v1", keys: [{ ...entry, notAfter: entry.notBefore }] }, "SHAPE_RULE"],
    [{ schema: "drydock.trust/v1", keys: [{ ...entry, roles: ["root"] }] }, "SHAPE_ENUM"],
    [
      {
        schema: "drydock.trust/v1",
        keys: [{ ...entry, classes: ["HOST_OBSERVED", "HOST_OBSERVED"] }],
      },
      "SHAPE_RULE",
    ],
    [
      { schema: "drydock.trust/v1", keys: [{ ...entry, notBefore: "2026-01-01" }] },
      "SHAPE_PATTERN",
    ],
  ];
  for (const [value, code] of refused) assert.throws(() => read(value), { code }, code);
});

test("a key signs only in its namespaces, for its roles, unrevoked and not too early", () => {
  const now = "2026-06-01T00:00:00.000Z";
  assert(maySign(authority(), "log", "controller", now));
  assert(!maySign(authority(), "halt", "controller", now));
  assert(!maySign(authority(), "log", "gateway", now));
  assert(!maySign(authority({ revoked: "2026-07-01T00:00:00.000Z" }), "log", "controller", now));
  assert(!maySign(authority(), "log", "controller", "2025-12-31T23:59:59.999Z"));
});

test("a key asserts only its classes, for its roles, within its time", () => {
  const record = {
    role: "port",
    class: "BROKER_OBSERVED",
    wall: "2026-06-01T00:00:00.000Z",
  } as const;
  assert(mayAssert(authority(), record));
  assert(!mayAssert(authority({ classes: ["GUEST_ASSERTED"] }), record));
  assert(!mayAssert(authority({ roles: ["controller"] }), record));
  assert(!mayAssert(authority(), { ...record, class: "PROVIDER_RECONCILED" }));
  assert(!mayAssert(authority(), { ...record, wall: "2025-12-31T23:59:59.999Z" }));
  assert(!mayAssert(authority(), { ...record, wall: "2027-12-31T00:00:00.001Z" }));
  assert(mayAssert(authority(), { ...record, wall: "2027-12-31T00:00:00.000Z" }));
});

const delegation = (measurements: EvidenceRecord["measurements"]): EvidenceRecord => ({
  actor: "controller",
  capability: null,
  class: "HOST_OBSERVED",
  clockSource: "test.clock",
  decision: null,
  event: "e.1",
  idempotencyKey: null,
  measurements,
  mechanism: null,
  monotonicUs: 0,
  policy: null,
  prev: `sha256:${"0".repeat(64)}`,
  retention: "audit",
  role: "controller",
  run: "run-1",
  schema: "drydock.record/v1",
  sequence: 1,
  subject: null,
  type: "key.delegated",
  wall: "2026-06-01T00:00:00.000Z",
});
const good = delegationMeasurements(port.public, "port", ["BROKER_OBSERVED", "GUEST_ASSERTED"]);

test("a delegated key signs logs of its role and classes, and nothing more", () => {
  const delegated = delegatedAuthority(delegation(good), authority());
  assert.deepEqual(delegated.roles, ["port"]);
  assert.deepEqual(delegated.namespaces, ["log"]);
  assert.deepEqual(delegated.classes, ["BROKER_OBSERVED", "GUEST_ASSERTED"]);
  assert(!maySign(delegated, "verdict", "port", null));
});

test("nobody delegates what he hasn't got", () => {
  const refused: readonly (readonly [string, object, Authority])[] = [
    ["no namespace delegation", good, authority({ namespaces: ["log", "verdict"] })],
    ["role not its own", { ...good, role: "egress" }, authority()],
    ["role controller", { ...good, role: "controller" }, authority()],
    ["class not its own", { ...good, classes: ["PROVIDER_RECONCILED"] }, authority()],
    ["namespace verdict", { ...good, namespaces: ["log", "verdict"] }, authority()],
    ["another key id", { ...good, keyId: key.public.keyId }, authority()],
    [
      "its own key for a second role",
      delegationMeasurements(key.public, "port", ["BROKER_OBSERVED"]),
      authority(),
    ],
  ];
  for (const [what, measurements, delegator] of refused) {
    assert.throws(
      () => delegatedAuthority(delegation({ ...measurements }), delegator),
      { code: "DELEGATION_REFUSED" },
      what,
    );
  }
});
