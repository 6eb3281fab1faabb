import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { applianceJsonSchema, applianceSchema } from "./appliance-schema.js";
import {
  DEFAULT_LIMITS,
  egressPolicyJsonSchema,
  policySchema,
  signedEgressPolicyJsonSchema,
  signedPolicySchema,
} from "./schema.js";
import { documents, input, LIMITS } from "./testing/samples.js";

const FORMATS = [
  ["unsigned", policySchema, egressPolicyJsonSchema()],
  ["signed", signedPolicySchema, signedEgressPolicyJsonSchema()],
] as const;

/** Put in a place of a valid document, most of these make it wrong. */
const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  53,
  65_536,
  Number.MAX_SAFE_INTEGER,
  "",
  "x",
  "udp",
  "API.example.com",
  "a b",
  "two\nlines",
  "x".repeat(3_000),
  "/a b",
  [],
  ["GET", "get"],
  {},
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A copy in which one place was replaced, removed, or given a neighbour. */
const edited = (value: unknown, seed: number, edit: string, by: unknown): unknown => {
  const copy = structuredClone(value) as Json;
  const places: (() => void)[] = [];
  const visit = (item: Json): void => {
    if (typeof item !== "object" || item === null) return;
    const members = item as Record<string, Json>;
    for (const [key, child] of Object.entries(members)) {
      places.push(() => {
        if (edit === "replace") members[key] = by as Json;
        else if (edit === "add") members[`${key}2`] = by as Json;
        else if (Array.isArray(item)) item.splice(Number(key), 1);
        else delete members[key];
      });
      visit(child);
    }
  };
  visit(copy);
  places[seed % places.length]?.();
  return copy;
};

for (const [name, schema, exported] of FORMATS) {
  test(`the exported JSON Schema of an ${name} policy accepts what the parser accepts`, () => {
    const validate = new Ajv2020({ strict: true }).compile(structuredClone(exported));
    let refused = 0;
    const property = fc.property(
      documents,
      fc.nat(),
      fc.constantFrom("replace", "remove", "add"),
      fc.constantFrom(...REPLACEMENTS),
      (document, seed, edit, by) => {
        assert.ok(validate(document), JSON.stringify(validate.errors));
        const value = edited(document, seed, edit, by);
        const parsed = schema.safeParse(value);
        const valid = validate(value);
        if (!valid) refused += 1;
        assert.ok(valid || !parsed.success, `only the schema refuses ${JSON.stringify(value)}`);
        // What JSON Schema has no words for is a rule of ours, and those have their own code.
        if (valid && !parsed.success)
          for (const { code } of parsed.error.issues) assert.equal(code, "custom");
      },
    );
    fc.assert(property, { numRuns: profile.fuzz * 2, seed: profile.seed });
    assert.ok(refused > profile.fuzz / 4, `${refused} edits were refused: too few`);
  });
}

test("defaults are the schema's: an unsigned policy needs no limit, a signed one each", () => {
  const ajv = new Ajv2020({ strict: true });
  const unsigned = ajv.compile(egressPolicyJsonSchema());
  const signed = ajv.compile(signedEgressPolicyJsonSchema());
  assert.ok(unsigned(input()));
  assert.ok(!signed(input()));
  assert.ok(signed(input({ limits: LIMITS })));
  assert.ok(!signed(input({ limits: { ...LIMITS, lifetimeMs: undefined as never } })));
  assert.deepEqual(policySchema.parse(input()).limits, DEFAULT_LIMITS);
});

test("the appliance's JSON Schema refuses time and other protocols as the parser does", () => {
  const validate = new Ajv2020({ strict: true }).compile(applianceJsonSchema());
  const appliance = (change: object) => ({
    schema_version: "aptl.appliance-boundary/v1",
    policy_id: "seat",
    generation: 1,
    default_deny: true,
    egress_authorities: [
      {
        source: "egress",
        authority: "api.example.com",
        protocol: "tcp",
        port: 443,
        purpose: "the model",
        resolution: "proxy-resolved-all-global",
        failure_disposition: "deny",
        ...change,
      },
    ],
    egress_proxy_limits: {
      max_connections: 1,
      max_header_bytes: 1_024,
      header_timeout_seconds: 1,
      connect_timeout_seconds: 1,
      idle_timeout_seconds: 5,
    },
  });
  const both = (change: object): readonly boolean[] => [
    validate(appliance(change)),
    applianceSchema.safeParse(appliance(change)).success,
  ];
  assert.deepEqual(both({}), [true, true]);
  for (const change of [
    { port: 123 },
    { port: 4460 },
    { protocol: "udp" },
    { protocol: "http" },
    { terminate: true },
  ]) {
    assert.deepEqual(both(change), [false, false], JSON.stringify(change));
  }
});
