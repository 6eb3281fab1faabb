import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { AppliancePolicy } from "../model/index.js";
import { edited, policies, REPLACEMENTS, reordered } from "../testing/index.js";
import { parseAppliancePolicy } from "./parse.js";
import { policyDocument } from "./print.js";
import { appliancePolicyJsonSchema, appliancePolicySchema } from "./schema.js";

const RUNS = { numRuns: profile.fuzz, seed: profile.seed };

const parse = (document: unknown): AppliancePolicy =>
  parseAppliancePolicy(Buffer.from(JSON.stringify(document)), { file: "policy.json" });

/** Without what depends on how the file is laid out. */
const meaning = ({ digest: _, ...rest }: AppliancePolicy): unknown => ({
  ...rest,
  crossings: rest.crossings.map((crossing) => ({ ...crossing, line: 0 })),
  egressAuthorities: rest.egressAuthorities.map((authority) => ({ ...authority, line: 0 })),
});

test("a printed policy is read as what it was", () => {
  fc.assert(
    fc.property(policies, (given) => {
      assert.deepEqual(meaning(parse(policyDocument(given))), meaning(given));
    }),
    RUNS,
  );
});

test("the order of keys says nothing", () => {
  fc.assert(
    fc.property(policies, fc.nat(), (given, seed) => {
      const document = policyDocument(given);
      assert.deepEqual(meaning(parse(reordered(document, seed))), meaning(parse(document)));
    }),
    RUNS,
  );
});

const edits = [
  fc.nat(),
  fc.constantFrom("replace", "remove", "add"),
  fc.constantFrom(...REPLACEMENTS),
] as const;

test("whatever stands in a policy, it is read or refused with a code, and a place", () => {
  let refused = 0;
  fc.assert(
    fc.property(policies, ...edits, (given, seed, edit, by) => {
      try {
        parse(edited(policyDocument(given), seed, edit, by));
      } catch (error) {
        refused += 1;
        assert.ok(isDrydockError(error), String(error));
        assert.match(error.code, /^(?:POLICY|FILE)_/);
        assert.match(error.message, /^policy\.json:\d+:\d+: /);
      }
    }),
    RUNS,
  );
  assert.ok(refused > profile.fuzz / 4, `${refused} edits were refused: too few`);
});

test("the exported JSON Schema accepts what the reader accepts", () => {
  const validate = new Ajv2020({ strict: true }).compile(
    structuredClone(appliancePolicyJsonSchema()),
  );
  let refused = 0;
  fc.assert(
    fc.property(policies, ...edits, (given, seed, edit, by) => {
      const document = policyDocument(given);
      assert.ok(validate(document), JSON.stringify(validate.errors));
      const value = edited(document, seed, edit, by);
      const parsed = appliancePolicySchema.safeParse(value);
      const valid = validate(value);
      if (!valid) refused += 1;
      assert.ok(valid || !parsed.success, `only the schema refuses ${JSON.stringify(value)}`);
      // What JSON Schema has no words for is a rule of ours, and those have their own code.
      if (valid && !parsed.success)
        for (const { code } of parsed.error.issues) assert.equal(code, "custom");
    }),
    RUNS,
  );
  assert.ok(refused > profile.fuzz / 4, `${refused} edits were refused: too few`);
});
