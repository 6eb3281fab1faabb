import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { ProvisioningPlan } from "../model/index.js";
import { edited, plan, plans, REPLACEMENTS } from "../testing/index.js";
import { validatePlan } from "./validate.js";

const RUNS = { numRuns: profile.fuzz, seed: profile.seed };

test("a plan that was read, or could have been, is one", () => {
  validatePlan(plan);
  fc.assert(fc.property(plans, validatePlan), RUNS);
});

const [first] = plan.rules;
const [network] = plan.networks;
const [node] = plan.nodes;
assert.ok(first && network && node);

const MADE: readonly (readonly [what: string, change: Partial<ProvisioningPlan>])[] = [
  ["a rule of nobody's", { rules: [{ ...first, owner: "provision.node.ghost" }, ...plan.rules] }],
  [
    "a rule of another type's",
    { rules: [{ ...first, ownerType: "node" }, ...plan.rules.slice(1)] },
  ],
  ["rules in another order", { rules: [...plan.rules].reverse() }],
  [
    "a rule's order that isn't its place",
    { rules: plan.rules.map((rule) => ({ ...rule, order: rule.order + 1 })) },
  ],
  ["ports of ICMP", { rules: [{ ...first, protocol: "icmp" }, ...plan.rules.slice(1)] }],
  ["ports out of order", { rules: [{ ...first, ports: [23, 22] }, ...plan.rules.slice(1)] }],
  ["a rule to a node", { rules: [{ ...first, to: "provision.node.web" }, ...plan.rules.slice(1)] }],
  ["a rule's name with a quote", { rules: [{ ...first, name: 'a"b' }, ...plan.rules.slice(1)] }],
  [
    "a block with host bits",
    {
      networks: [
        { ...network, cidr: { ...network.cidr, base: network.cidr.base + 1 } },
        ...plan.networks.slice(1),
      ],
    },
  ],
  [
    "an address under another name",
    { networks: [{ ...network, address: "provision.network.x" }, ...plan.networks.slice(1)] },
  ],
  ["a node nowhere", { nodes: [{ ...node, attachments: [] }, ...plan.nodes.slice(1)] }],
  ["an image by tag", { nodes: [{ ...node, image: "nginx:latest" }, ...plan.nodes.slice(1)] }],
];

for (const [what, change] of MADE) {
  test(`${what} isn't a plan's`, () => {
    assert.throws(() => validatePlan({ ...plan, ...change }), { code: "PLAN_DIRECT_INVALID" });
  });
}

test("whatever a program made, it is a plan or refused with a code", () => {
  fc.assert(
    fc.property(
      plans,
      fc.nat(),
      fc.constantFrom("replace", "remove", "add"),
      fc.constantFrom(...REPLACEMENTS),
      (given, seed, edit, by) => {
        try {
          validatePlan(edited(given, seed, edit, by) as ProvisioningPlan);
        } catch (error) {
          assert.ok(isDrydockError(error) && error.code === "PLAN_DIRECT_INVALID", String(error));
        }
      },
    ),
    RUNS,
  );
});
