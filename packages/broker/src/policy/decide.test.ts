import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { decide, type RequestForm } from "./decide.js";
import { parseEgressPolicy, policyFromDocument } from "./parse.js";
import { documents, names, ports, YAML } from "./testing/samples.js";

const policy = parseEgressPolicy(
  `${YAML.replace("resolvers:", "  - name: api.example.com\n    port: 8443\n    protocol: tcp-opaque\n    purpose: metrics\n  - name: mirror.example.com\n    port: 80\n    protocol: http\n    purpose: packages\nresolvers:")}`,
  { file: "policy.yaml" },
);

const ask = (host: string, port: number, form: RequestForm = "connect") => {
  const decision = decide(policy, { host, port }, form);
  return decision.kind === "granted"
    ? ["granted", decision.grant.line]
    : [decision.reason, decision.line];
};

test("what is granted is granted in the form of its protocol, with the rule's line", () => {
  assert.deepEqual(ask("api.example.com", 443), ["granted", 3]);
  assert.deepEqual(ask("api.example.com", 8443), ["granted", 7]);
  assert.deepEqual(ask("mirror.example.com", 80, "absolute"), ["granted", 11]);
});

test("reasons come in one order, each a step from something granted", () => {
  assert.deepEqual(ask("api.example.org", 443), ["AUTHORITY_NOT_GRANTED", null]);
  assert.deepEqual(ask("api.example.com", 444), ["PORT_NOT_GRANTED", 3]);
  assert.deepEqual(ask("api.example.com", 443, "absolute"), ["PROTOCOL_NOT_GRANTED", 3]);
  assert.deepEqual(ask("mirror.example.com", 80), ["PROTOCOL_NOT_GRANTED", 11]);
  // Name before port before protocol.
  assert.deepEqual(ask("api.example.org", 444, "absolute"), ["AUTHORITY_NOT_GRANTED", null]);
  assert.deepEqual(ask("api.example.com", 444, "absolute"), ["PORT_NOT_GRANTED", 3]);
});

test("no relative of a granted name is granted", () => {
  for (const host of [
    "example.com",
    "com",
    "www.api.example.com",
    "api.example.com.example.org",
    "xapi.example.com",
    "api.example.co",
    "api-example.com",
    "API.example.com",
    "api.example.com.",
    "api.example.com\0",
    "",
  ]) {
    assert.deepEqual(ask(host, 443), ["AUTHORITY_NOT_GRANTED", null], host);
  }
});

test("a decision is exact membership, whatever the policy", () => {
  const property = fc.property(
    documents,
    fc.option(names),
    fc.option(ports),
    fc.nat(),
    fc.constantFrom<RequestForm>("connect", "absolute"),
    (document, otherName, otherPort, pick, form) => {
      const { authorities } = document;
      const near = authorities[pick % authorities.length];
      const host = otherName ?? near?.name ?? "";
      const port = otherPort ?? near?.port ?? 0;
      const granted = authorities.some(
        (item) =>
          item.name === host &&
          item.port === port &&
          (item.protocol === "http") === (form === "absolute"),
      );
      const decision = decide(policyFromDocument(document), { host, port }, form);
      assert.equal(decision.kind === "granted", granted);
      if (decision.kind === "granted") assert.deepEqual(decision.grant.authority, { host, port });
    },
  );
  fc.assert(property, { numRuns: profile.fuzz, seed: profile.seed });
});
