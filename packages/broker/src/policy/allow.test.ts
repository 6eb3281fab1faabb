import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { policyFromAllow } from "./allow.js";
import { policyDocument } from "./document.js";
import { policyFromDocument } from "./parse.js";
import { isCanonicalIp, parseResolver, resolversFromResolvConf } from "./resolvers.js";
import { DEFAULT_LIMITS } from "./schema.js";
import { names, ports } from "./testing/samples.js";

const RESOLVERS = [{ address: "192.0.2.53", port: 53 }];

test("what is allowed on a command line is TLS unless it says otherwise, with the default limits", () => {
  const policy = policyFromAllow(
    ["API.example.com.:443", "mirror.example.com:80=http", "db.example.com:5432=tcp-opaque"],
    RESOLVERS,
  );
  assert.deepEqual(
    policy.grants.map(({ authority: { host, port }, protocol }) => [host, port, protocol]),
    [
      ["api.example.com", 443, "tls"],
      ["db.example.com", 5432, "tcp-opaque"],
      ["mirror.example.com", 80, "http"],
    ],
  );
  for (const { terminate, allowEch, requests, line } of policy.grants)
    assert.deepEqual([terminate, allowEch, requests, line], [false, false, null, null]);
  assert.deepEqual(policy.limits, DEFAULT_LIMITS);
  assert.deepEqual(policy.resolvers, RESOLVERS);
});

test("each spelling but the exact one is refused, with the reason that a broker gives", () => {
  assert.doesNotThrow(() => policyFromAllow(["a.example.com:443"], RESOLVERS));
  for (const [text, says] of [
    ["a.example.com", /AUTHORITY_FORM/],
    ["*.example.com:443", /WILDCARD/],
    ["192.0.2.1:443", /IP_LITERAL/],
    ["0x7f.1:443", /IP_LITERAL/],
    ["https://a.example.com:443", /URL/],
    ["a.example.com:0443", /PORT_INVALID/],
    ["a.example.com:443=udp", /protocol/],
    ["a.example.com:443=", /protocol/],
    ["a.example.com:443=tls=tls", /protocol/],
    ["", /AUTHORITY_FORM|NAME_INVALID/],
  ] as const) {
    assert.throws(() => policyFromAllow([text], RESOLVERS), {
      code: "ALLOW_INVALID",
      message: says,
    });
  }
});

test("one authority twice is refused, and so is a policy of nothing, or without a resolver", () => {
  assert.throws(() => policyFromAllow(["a.example.com:443", "A.example.com:443=http"], RESOLVERS), {
    code: "ALLOW_INVALID",
    message: /twice/,
  });
  assert.throws(() => policyFromAllow([], RESOLVERS), { code: "POLICY_INVALID" });
  assert.throws(() => policyFromAllow(["a.example.com:443"], []), { code: "POLICY_INVALID" });
});

test("it is a policy like any other", () => {
  const property = fc.property(names, ports, (name, port) => {
    const policy = policyFromAllow([`${name}:${port}`], RESOLVERS);
    assert.equal(policyFromDocument(policyDocument(policy)).digest, policy.digest);
  });
  fc.assert(property, { numRuns: profile.fuzz, seed: profile.seed });
});

test("a resolver is an address, with a port if it isn't 53", () => {
  for (const [text, address, port] of [
    ["192.0.2.53", "192.0.2.53", 53],
    ["192.0.2.53:5353", "192.0.2.53", 5353],
    ["2001:db8::53", "2001:db8::53", 53],
    ["2001:DB8:0::53", "2001:db8::53", 53],
    ["[2001:db8::53]", "2001:db8::53", 53],
    ["[2001:db8::53]:5353", "2001:db8::53", 5353],
    ["127.0.0.1", "127.0.0.1", 53],
  ] as const) {
    assert.deepEqual(parseResolver(text), { address, port }, text);
  }
  for (const text of [
    "",
    "dns.example.com",
    "192.0.2.53:",
    "192.0.2.53:0",
    "192.0.2.53:053",
    "192.0.2.53:65536",
    "192.0.2.053",
    "192.0.2",
    "[192.0.2.53]:53",
    "[2001:db8::53]:",
    "[2001:db8::53]5353",
    "fe80::1%eth0",
    "[fe80::1%eth0]:53",
    "192.0.2.53 ",
  ]) {
    assert.throws(() => parseResolver(text), { code: "RESOLVER_INVALID" }, text);
  }
});

test("of resolv.conf the nameserver lines are used, and nothing else", () => {
  const read = (text: string) =>
    resolversFromResolvConf(text, "/etc/resolv.conf").map(({ address }) => address);
  assert.deepEqual(
    read(
      "# comment\nnameserver 192.0.2.1\nsearch example.com\nnameserver\t2001:DB8::2 # b\r\noptions ndots:5\nnameserver 192.0.2.1\n nameserver 192.0.2.9\n;nameserver 192.0.2.8\nnameserver 192.0.2.3\nnameserver 192.0.2.4\n",
    ),
    ["192.0.2.1", "2001:db8::2", "192.0.2.3"],
  );
  for (const text of ["", "search example.com\n", "nameserver fe80::1%eth0\n", "nameserver x\n"])
    assert.throws(() => read(text), { code: "RESOLVER_NONE", fix: /--resolver/ });
});

test("an address counts as canonical in RFC 5952's spelling alone", () => {
  for (const text of ["192.0.2.1", "::1", "2001:db8::1"]) assert.ok(isCanonicalIp(text), text);
  for (const text of ["192.0.2.01", "0:0::1", "2001:DB8::1", "2001:db8:0:0::1", "::1%lo", "x", ""])
    assert.ok(!isCanonicalIp(text), text);
});
