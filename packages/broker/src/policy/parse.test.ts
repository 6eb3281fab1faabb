import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalise, type DrydockError, digestOf } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { policyBytes, policyDocument } from "./document.js";
import { LIMIT_NAMES, LIMIT_RANGES } from "./limits.js";
import { parseEgressPolicy, policyFromDocument } from "./parse.js";
import { documents, input, YAML } from "./testing/samples.js";

const parse = (text: string) => parseEgressPolicy(text, { file: "policy.yaml" });

const refusal = (text: string): DrydockError => {
  try {
    parse(text);
  } catch (error) {
    return error as DrydockError;
  }
  throw new Error(`accepted: ${text}`);
};

test("YAML and JSON say the same, and what isn't said has its default", () => {
  const policy = parse(YAML);
  assert.deepEqual(policyDocument(policy), policyDocument(parse(JSON.stringify(input()))));
  assert.deepEqual(policy.grants, [
    {
      authority: { host: "api.example.com", port: 443 },
      protocol: "tls",
      purpose: "the model",
      allowEch: false,
      terminate: false,
      requests: null,
      line: 3,
    },
  ]);
  assert.deepEqual(policy.resolvers, [{ address: "192.0.2.53", port: 53 }]);
  for (const name of LIMIT_NAMES) assert.equal(policy.limits[name], LIMIT_RANGES[name].default);
});

/** Each differs from the accepted policy in one thing. */
const PLACED: readonly (readonly [what: string, from: string, to: string, says: RegExp])[] = [
  ["another schema", "egress/v1", "egress/v2", /^policy\.yaml:1:9: schema/],
  ["no schema", "schema: drydock.egress/v1\n", "", /:1:1: schema/],
  ["an unknown key", "resolvers:", "resolver: x\nresolvers:", /:7:1: unknown key "resolver"/],
  ["an unknown key inside", "port: 443", "port: 443\n    prot: 1", /:5:5: unknown key "prot"/],
  ["a duplicate key", "port: 443", "port: 443\n    port: 443", /:5:5: /],
  ["an unknown limit", "resolvers:", "limits: {maxIdle: 1}\nresolvers:", /:7:10: unknown key/],
  ["an upper-case name", "api.example.com", "API.example.com", /:3:11: .*"api\.example\.com"/],
  ["a final dot", "api.example.com", "api.example.com.", /:3:11: .*"api\.example\.com"/],
  ["a wildcard", "api.example.com", '"*.example.com"', /:3:11: .*WILDCARD/],
  ["an IPv4 address", "api.example.com", "192.0.2.1", /:3:11: .*IP_LITERAL/],
  ["an IPv6 address", "api.example.com", '"[::1]"', /:3:11: .*IP_LITERAL/],
  ["a URL", "api.example.com", "https://api.example.com", /:3:11: .*URL/],
  ["a single label", "api.example.com", "localhost", /:3:11: .*NAME_INVALID/],
  ["a name in Unicode", "api.example.com", "bücher.example", /:3:11: .*NAME_IDNA/],
  ["a port in the name", "api.example.com", "api.example.com:443", /:3:11: /],
  ["port 0", "port: 443", "port: 0", /:4:11: authorities\.0\.port/],
  ["port 65536", "port: 443", "port: 65536", /:4:11: /],
  ["a port as text", "port: 443", 'port: "443"', /:4:11: /],
  ["a fraction of a port", "port: 443", "port: 443.5", /:4:11: /],
  ["another protocol", "protocol: tls", "protocol: udp", /:5:15: /],
  ["no purpose", "    purpose: the model\n", "", /:3:5: authorities\.0\.purpose/],
  ["an empty purpose", "the model", '""', /:6:14: /],
  ["a purpose of two lines", "the model", '"a\\nb"', /:6:14: /],
  ["a purpose that writes backwards", "the model", '"a\\u202eb"', /:6:14: /],
  ["a purpose of 81", "the model", "x".repeat(81), /:6:14: /],
  ["ECH without TLS", "protocol: tls", "protocol: http\n    allowEch: true", /:6:15: /],
  ["opaque termination", "protocol: tls", "protocol: tcp-opaque\n    terminate: true", /:6:16: /],
  [
    "rules for requests nobody sees",
    "protocol: tls",
    "protocol: tls\n    requests: [{methods: [GET], path: /}]",
    /:6:15: .*terminate/,
  ],
  [
    "no authority",
    YAML.slice(YAML.indexOf("\n  - name"), YAML.indexOf("\nresolvers")),
    " []",
    /:2:14: /,
  ],
  ["no resolver", "\n  - address: 192.0.2.53", " []", /:7:12: /],
  ["no resolvers", "resolvers:\n  - address: 192.0.2.53\n", "", /:1:1: resolvers/],
  ["a resolver by name", "192.0.2.53", "dns.example.com", /:8:14: /],
  ["a resolver in another spelling", "192.0.2.53", "192.0.2.053", /:8:14: /],
  ["a resolver with a zone", "192.0.2.53", "fe80::1%eth0", /:8:14: /],
  ["a resolver in upper case", "192.0.2.53", "2001:DB8::53", /:8:14: /],
  ["the same resolver twice", "53\n", "53\n  - address: 192.0.2.53\n    port: 53\n", /:9:5: /],
];

for (const [what, from, to, says] of PLACED) {
  test(`${what} is refused with its place`, () => {
    assert.ok(YAML.includes(from), from);
    const error = refusal(YAML.replace(from, to));
    assert.match(error.message, says);
    assert.match(error.code, /^FILE_/);
    assert.ok(error.fix);
  });
}

test("the same name and port twice is refused at the second; another port is not", () => {
  const twice = (port: number) =>
    YAML.replace(
      "resolvers:",
      `  - {name: api.example.com, port: ${port}, protocol: tcp-opaque, purpose: b}\nresolvers:`,
    );
  assert.match(refusal(twice(443)).message, /^policy\.yaml:7:5: authorities\.1: .*granted above/);
  assert.equal(parse(twice(444)).grants.length, 2);
});

test("rules have methods and paths in one spelling", () => {
  const withRule = (rule: object) =>
    JSON.stringify(
      input({
        authorities: [
          {
            name: "a.example.com",
            port: 80,
            protocol: "http",
            purpose: "x",
            requests: [rule as never],
          },
        ],
      }),
    );
  for (const path of ["/", "/v1/", "/v1/messages", "/a%2Fb", "/.well-known/x", "/a/..b", "/~u"])
    assert.doesNotThrow(() => parse(withRule({ methods: ["GET"], path })), path);
  for (const path of [
    "",
    "v1",
    "/a*",
    "/a?b",
    "/a#b",
    "/a b",
    "/a%2f",
    "/a%",
    "//a",
    "/a//",
    "/./a",
    "/a/..",
    "/a/../b",
    "/ä",
  ])
    assert.throws(
      () => parse(withRule({ methods: ["GET"], path })),
      { code: "FILE_INVALID" },
      path,
    );
  for (const methods of [[], ["get"], ["CONNECT"], ["TRACE"], ["GET "], [""]])
    assert.throws(() => parse(withRule({ methods, path: "/" })), { code: "FILE_INVALID" });
});

test("every limit has its range, at each end", () => {
  for (const name of LIMIT_NAMES) {
    const { min, max } = LIMIT_RANGES[name];
    const withLimit = (value: number) => JSON.stringify(input({ limits: { [name]: value } }));
    for (const value of [min, max])
      assert.equal(parse(withLimit(value)).limits[name], value, `${name} ${value}`);
    for (const value of [min - 1, max + 1])
      assert.throws(() => parse(withLimit(value)), { code: "FILE_INVALID" }, `${name} ${value}`);
    assert.throws(() => parse(withLimit(min + 0.5)), { code: "FILE_SYNTAX" }, name);
  }
});

test("counts and size are bounded", () => {
  const many = (count: number) =>
    `schema: drydock.egress/v1\nresolvers: [{address: 192.0.2.53}]\nauthorities:\n${Array.from(
      { length: count },
      (_, index) => `- {name: a${index}.example.com, port: 443, protocol: tls, purpose: x}\n`,
    ).join("")}`;
  assert.equal(parse(many(256)).grants.length, 256);
  assert.match(refusal(many(257)).message, /authorities/);
  assert.equal(refusal(YAML + "#".repeat(64 * 1024)).code, "FILE_TOO_LARGE");
  const four = [1, 2, 3, 4].map((last) => ({ address: `192.0.2.${last}` }));
  assert.doesNotThrow(() => parse(JSON.stringify(input({ resolvers: four.slice(0, 3) }))));
  assert.match(refusal(JSON.stringify(input({ resolvers: four }))).message, /resolvers/);
});

test("a document survives writing and reading, as JSON and as YAML", () => {
  const property = fc.property(documents, (document) => {
    const policy = policyFromDocument(document);
    const text = canonicalise(policyDocument(policy));
    for (const form of [text, JSON.stringify(document, null, 2), asYaml(document)]) {
      const read = parse(form);
      assert.equal(canonicalise(policyDocument(read)), text);
      assert.equal(read.digest, policy.digest);
    }
    assert.equal(policy.digest, digestOf(policyBytes(policy)));
  });
  fc.assert(property, { numRuns: profile.fuzz, seed: profile.seed });
});

test("a grant's line is the one where it stands", () => {
  const property = fc.property(documents, fc.nat(3), (document, blanks) => {
    const text = `${"\n".repeat(blanks)}${asYaml(document)}`;
    const lines = text.split("\n");
    for (const { line, authority } of parse(text).grants) {
      assert.ok(lines[(line ?? 0) - 1]?.includes(`"${authority.host}"`), text);
    }
  });
  fc.assert(property, { numRuns: profile.fuzz, seed: profile.seed });
});

test("the order of authorities changes no digest, that of resolvers does", () => {
  const resolvers = [{ address: "192.0.2.1" }, { address: "192.0.2.2" }];
  const authorities = ["a.example.com", "b.example.com"].map((name) => ({
    name,
    port: 443,
    protocol: "tls" as const,
    purpose: "x",
  }));
  const digest = (change: Parameters<typeof input>[0]) =>
    parse(JSON.stringify(input(change))).digest;
  const one = digest({ authorities, resolvers });
  assert.equal(digest({ authorities: [...authorities].reverse(), resolvers }), one);
  assert.notEqual(digest({ authorities, resolvers: [...resolvers].reverse() }), one);
});

test("whatever stands in a file, it is read or refused with a code", () => {
  const token = fc.constantFrom(
    ...YAML.split(/(?<=[\n :])/),
    "limits: ",
    "requests: ",
    "[",
    "]",
    "{",
    "}",
    '"',
    "- ",
    "&a ",
    "*a ",
    "null",
    "1e9",
    "\u0000",
  );
  const property = fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
    try {
      parse(tokens.join(""));
    } catch (error) {
      assert.match((error as DrydockError).code ?? String(error), /^FILE_/);
    }
  });
  fc.assert(property, { numRuns: profile.fuzz, seed: profile.seed });
});

test("a document of a manifest has every default written out, or is none", () => {
  const document = policyDocument(parse(YAML));
  assert.deepEqual(policyDocument(policyFromDocument(document)), document);
  const { limits: _, ...without } = document;
  assert.throws(() => policyFromDocument(without as never), { code: "POLICY_INVALID" });
  assert.throws(() => policyFromDocument({ ...document, more: 1 }), { code: "POLICY_INVALID" });
});

/** In block style, a line for each authority; every scalar as JSON, which is YAML. */
const asYaml = (document: object): string =>
  Object.entries(document)
    .map(([key, value]) =>
      Array.isArray(value)
        ? `${key}:\n${value.map((item) => `  - ${JSON.stringify(item)}\n`).join("")}`
        : `${key}: ${JSON.stringify(value)}\n`,
    )
    .join("");
