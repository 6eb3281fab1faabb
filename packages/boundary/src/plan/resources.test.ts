import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import type { ProvisioningPlan } from "../model/index.js";
import { PLAN_FILE, plan } from "../testing/index.js";
import { parsePlan } from "./parse.js";
import { planDocument } from "./print.js";

/** The fixture as RAES's planner would give it out. */
const resources = () => {
  const { nodes, infrastructure } = planDocument(plan);
  return Object.fromEntries(
    Object.entries(nodes).map(([name, { type }]) => {
      const kind = type === "Switch" ? "network" : "node";
      const address = `provision.${kind}.${name}`;
      const spec = { node: { type: type.toLowerCase() }, infrastructure: infrastructure[name] };
      const payload = { name, spec };
      return [address, { address, domain: "provisioning", resource_type: kind, payload }];
    }),
  );
};

const text = (document: object = resources()): string =>
  JSON.stringify({ schema: "drydock.plan/v1", default: "deny", resources: document }, null, 1);

const parse = (given: string): ProvisioningPlan =>
  parsePlan(Buffer.from(given), { file: "plan.json" });

const meaning = ({ networks, nodes, rules, default: fallback }: ProvisioningPlan): unknown => ({
  fallback,
  networks: networks.map((network) => ({ ...network, line: 0 })),
  nodes: nodes.map((node) => ({ ...node, line: 0 })),
  rules: rules.map((rule) => ({ ...rule, line: 0 })),
});

test("a planner's resources mean what their author's plan means", () => {
  assert.deepEqual(meaning(parse(text())), meaning(plan));
  assert.deepEqual(meaning(parse(text())), meaning(parse(PLAN_FILE)));
});

test("a planner's tokens may have any case and space around them, and emptiness is any", () => {
  const loose = text()
    .replaceAll('"allow"', '" Allow "')
    .replaceAll('"tcp"', '"TCP\\t"')
    .replaceAll('"inout"', '"InOut"')
    .replace('"name": "among-lan",', '"name": "among-lan", "to_net": "", "ports": [],')
    .replace('"name": "silent",', '"name": "silent", "from_net": null, "to_net": "  ",');
  assert.deepEqual(meaning(parse(loose)), meaning(plan));
});

test("where a planner's resource stands, its line is known", () => {
  const { networks, rules } = parse(text());
  const lines = text().split("\n");
  for (const { line, address } of networks)
    assert.match(lines[line - 1] ?? "", new RegExp(`"${address}"`));
  for (const { line, name } of rules)
    assert.match(lines[line] ?? "", new RegExp(`"name": "${name}"`));
});

const REFUSED: readonly (readonly [what: string, from: string, to: string, code: string])[] = [
  ["no default", '"default": "deny",', "", "FILE_INVALID"],
  [
    "an address under another key",
    '"provision.node.web": {',
    '"provision.node.www": {',
    "PLAN_OWNER_AMBIGUOUS",
  ],
  [
    "an address of another name",
    '"address": "provision.node.web"',
    '"address": "provision.node.www"',
    "PLAN_OWNER_AMBIGUOUS",
  ],
  ["a name of another address", '"name": "web",', '"name": "www",', "PLAN_OWNER_AMBIGUOUS"],
  ["a name that is none", '"name": "web",', '"name": "Web",', "PLAN_OWNER_AMBIGUOUS"],
  [
    "a network called a node",
    '"address": "provision.network.wan",\n   "domain": "provisioning",\n   "resource_type": "network"',
    '"address": "provision.network.wan",\n   "domain": "provisioning",\n   "resource_type": "node"',
    "FILE_INVALID",
  ],
  ["another domain", '"domain": "provisioning"', '"domain": "evaluation"', "FILE_INVALID"],
  [
    "an unknown key",
    '"domain": "provisioning"',
    '"domain": "provisioning", "more": 1',
    "FILE_INVALID",
  ],
  ["another action", '"action": "deny"', '"action": "reject"', "PLAN_ACL_ACTION_UNSUPPORTED"],
  ["an action that isn't text", '"action": "deny"', '"action": 1', "PLAN_ACL_ACTION_UNSUPPORTED"],
  [
    "a direction that isn't text",
    '"direction": "in"',
    '"direction": 1',
    "PLAN_ACL_DIRECTION_UNSUPPORTED",
  ],
  ["another protocol", '"protocol": "icmp"', '"protocol": "igmp"', "PLAN_ACL_PROTOCOL_UNSUPPORTED"],
  [
    "an unknown key of a rule",
    '"name": "silent"',
    '"name": "silent", "log": true',
    "PLAN_ACL_SHAPE_INVALID",
  ],
  ["an unknown endpoint", '"from_net": "dmz"', '"from_net": "web"', "PLAN_ACL_ENDPOINT_UNRESOLVED"],
  ["a float port", "514", "514.5", "FILE_SYNTAX"],
];

for (const [what, from, to, code] of REFUSED) {
  test(`of a planner's resources, ${what} is refused`, () => {
    assert.ok(text().includes(from), from);
    assert.throws(
      () => parse(text().replace(from, to)),
      (error) =>
        isDrydockError(error) && error.code === code && /^plan\.json:\d+:\d+: /.test(error.message),
    );
  });
}
