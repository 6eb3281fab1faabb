import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { ProvisioningPlan } from "../model/index.js";
import { edited, plan, plans, REPLACEMENTS, reordered } from "../testing/index.js";
import { planJsonSchema } from "./json-schema.js";
import { parsePlan } from "./parse.js";
import { planDocument } from "./print.js";
import { authoredSchema } from "./schema.js";

const RUNS = { numRuns: profile.fuzz, seed: profile.seed };

const parse = (document: unknown): ProvisioningPlan =>
  parsePlan(Buffer.from(JSON.stringify(document)), { file: "plan.json" });

/** Without what depends on how the file is laid out. */
const meaning = ({ digest: _, ...rest }: ProvisioningPlan): unknown => ({
  ...rest,
  networks: rest.networks.map((network) => ({ ...network, line: 0 })),
  nodes: rest.nodes.map((node) => ({ ...node, line: 0 })),
  rules: rest.rules.map((rule) => ({ ...rule, line: 0 })),
});

test("a printed plan is read as what it was", () => {
  fc.assert(
    fc.property(plans, (given) => {
      assert.deepEqual(meaning(parse(planDocument(given))), meaning(given));
    }),
    RUNS,
  );
});

test("the order of keys says nothing", () => {
  fc.assert(
    fc.property(plans, fc.nat(), (given, seed) => {
      const document = planDocument(given);
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

test("whatever stands in a plan, it is read or refused with a code, and a place", () => {
  let refused = 0;
  fc.assert(
    fc.property(plans, ...edits, (given, seed, edit, by) => {
      const document = edited(planDocument(given), seed, edit, by);
      try {
        parse(document);
      } catch (error) {
        refused += 1;
        assert.ok(isDrydockError(error), String(error));
        assert.match(error.code, /^(?:PLAN|FILE)_/);
        assert.match(error.message, /^plan\.json:\d+:\d+: /);
      }
    }),
    RUNS,
  );
  assert.ok(refused > profile.fuzz / 4, `${refused} edits were refused: too few`);
});

test("the exported JSON Schema accepts what the reader accepts", () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    structuredClone(planJsonSchema()),
  );
  let refused = 0;
  fc.assert(
    fc.property(fc.oneof(fc.constant(plan), plans), ...edits, (given, seed, edit, by) => {
      const document = planDocument(given);
      assert.ok(validate(document), JSON.stringify(validate.errors));
      const value = edited(document, seed, edit, by);
      const parsed = authoredSchema.safeParse(value);
      const valid = validate(value);
      if (!valid) refused += 1;
      assert.ok(valid || !parsed.success, `only the schema refuses ${JSON.stringify(value)}`);
      // Every rule of this schema has words in JSON Schema.
      assert.ok(!valid || parsed.success, `only the reader refuses ${JSON.stringify(value)}`);
    }),
    RUNS,
  );
  assert.ok(refused > profile.fuzz / 4, `${refused} edits were refused: too few`);
});
