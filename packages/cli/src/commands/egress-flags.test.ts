import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PolicyInput } from "@drydock/broker";
import { temporaryDirectory } from "@drydock/testkit";
import { type EgressFlags, egressFromFlags } from "./egress-flags.js";

const HOST = "nameserver 192.0.2.1\nsearch example.com\n";

const policyFile = (t: Parameters<typeof temporaryDirectory>[0]): string => {
  const path = join(temporaryDirectory(t), "policy.json");
  const policy: PolicyInput = {
    schema: "drydock.egress/v1",
    authorities: [{ name: "api.example.com", port: 443, protocol: "tls", purpose: "x" }],
    resolvers: [{ address: "192.0.2.53" }],
  };
  writeFileSync(path, JSON.stringify(policy));
  return path;
};

const given = (flags: Omit<EgressFlags, "proof">) => {
  let read = 0;
  const loaded = egressFromFlags({ proof: {}, ...flags }, () => {
    read += 1;
    return Buffer.from(HOST);
  });
  return { resolvers: loaded?.policy.resolvers, signature: loaded?.signature, read };
};

test("nothing is reached unless something is allowed", () => {
  assert.equal(egressFromFlags({ proof: {} }), null);
  assert.equal(egressFromFlags({ allow: [], proof: {} }), null);
});

test("whoever names no resolver gets the host's name servers, written down", () => {
  assert.deepEqual(given({ allow: ["api.example.com:443"] }), {
    resolvers: [{ address: "192.0.2.1", port: 53 }],
    signature: null,
    read: 1,
  });
});

test("the host's file isn't even read when a resolver is named, or a policy names its own", (t) => {
  assert.deepEqual(given({ allow: ["api.example.com:443"], resolver: ["192.0.2.9:5353"] }), {
    resolvers: [{ address: "192.0.2.9", port: 5353 }],
    signature: null,
    read: 0,
  });
  assert.deepEqual(given({ policy: policyFile(t) }), {
    resolvers: [{ address: "192.0.2.53", port: 53 }],
    signature: null,
    read: 0,
  });
});

test("flags that contradict each other are refused", (t) => {
  const policy = policyFile(t);
  for (const flags of [
    { policy, allow: ["api.example.com:443"] },
    { policy, resolver: ["192.0.2.9"] },
    { resolver: ["192.0.2.9"] },
  ]) {
    assert.throws(() => given(flags), { code: "USAGE" }, JSON.stringify(flags));
  }
  for (const proof of [{ signature: policy }, { key: policy, trust: policy }])
    assert.throws(() => egressFromFlags({ policy, proof }), { code: "USAGE" });
});
