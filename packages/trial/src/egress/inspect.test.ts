import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { policyFromAllow, systemRandom, systemTimers } from "@drydock/broker";
import { digestOf } from "@drydock/evidence";
import { TRUST_FILE } from "../contract/index.js";
import { inspectTunnels } from "./inspect.js";

const POLICY = policyFromAllow(
  ["api.example:443", "other.example:443"],
  [{ address: "192.0.2.1", port: 53 }],
);
const TERMS = { name: "API_KEY", authority: "api.example:443", headers: ["authorization"] };
const SEALED = { secrets: [TERMS], upstreamRoots: null, canaries: [], lifetimeMs: 60_000 };
const VALUE = "sk-live-0123456789abcdef";
const SUPPLIES = { secrets: [{ name: "API_KEY", value: VALUE }], upstreamRoots: null };
const PORTS = { timers: systemTimers, now: () => new Date(), entropy: systemRandom };

test("TLS ends here for the secret's authority alone, and the guest gets a placeholder and a CA for it", async () => {
  const { broker, guest } = await inspectTunnels(POLICY, SEALED, SUPPLIES, PORTS);
  const ended = POLICY.grants.filter((grant) => broker.terminates?.(grant) === true);
  assert.deepEqual(
    ended.map(({ authority }) => authority.host),
    ["api.example"],
  );
  const [variable] = guest.environment;
  assert.equal(variable?.name, "API_KEY");
  assert.match(variable?.value ?? "", /^DRYDOCK_SECRET_API_KEY_[0-9a-f]{32}$/);
  assert.equal(guest.trust?.path, TRUST_FILE);
  assert.equal(new X509Certificate(guest.trust?.contents ?? "").ca, true);
  assert.equal(JSON.stringify(guest).includes(VALUE), false);
});

test("without a secret, a rule or an opt-in there is no CA", async () => {
  const { broker, guest } = await inspectTunnels(
    POLICY,
    { ...SEALED, secrets: [] },
    { ...SUPPLIES, secrets: [] },
    PORTS,
  );
  assert.deepEqual([broker, guest], [{}, { trust: null, environment: [] }]);
});

test("what was handed over has to be what was sealed", async () => {
  const roots = "-----BEGIN CERTIFICATE-----";
  const upstreamRoots = digestOf(Buffer.from(roots));
  await inspectTunnels(
    POLICY,
    { ...SEALED, upstreamRoots },
    { ...SUPPLIES, upstreamRoots: roots },
    PORTS,
  );
  for (const [sealed, supplies] of [
    [SEALED, { ...SUPPLIES, secrets: [] }],
    [{ ...SEALED, secrets: [] }, SUPPLIES],
    [SEALED, { ...SUPPLIES, secrets: [{ name: "OTHER", value: VALUE }] }],
    [SEALED, { ...SUPPLIES, upstreamRoots: roots }],
    [{ ...SEALED, upstreamRoots }, SUPPLIES],
    [
      { ...SEALED, upstreamRoots },
      { ...SUPPLIES, upstreamRoots: `${roots} ` },
    ],
  ] as const)
    await assert.rejects(inspectTunnels(POLICY, sealed, supplies, PORTS), {
      code: "EGRESS_SUPPLY",
    });
});
