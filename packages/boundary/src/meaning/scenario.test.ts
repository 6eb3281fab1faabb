import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { BoundScenario, Flow, PlanAddress } from "../model/index.js";
import { anyBoundPlatform, anyBoundScenario } from "../testing/arbitraries.js";
import { boundScenario } from "../testing/index.js";
import { judgePlatform } from "./platform.js";
import { judgeScenario } from "./scenario.js";
import { referencePlatform, referenceScenario } from "./testing/reference.js";

const end = (place: string): Flow["source"] => {
  const [node, network] = place.split("@");
  return { holder: `provision.node.${node}`, network: `provision.network.${network}` };
};

const flow = (
  source: string,
  destination: string,
  protocol: Flow["protocol"],
  port: number | null = null,
): Flow => ({ source: end(source), destination: end(destination), protocol, port });

const acts = (bound: BoundScenario, ...of: Parameters<typeof flow>) =>
  judgeScenario(bound, flow(...of)).action;

test("a flow passes that every owner with a word allows, and no other", () => {
  // web's list and lan's and the database's all have a word, and each allows just this.
  assert.equal(acts(boundScenario, "web@dmz", "database@lan", "tcp", 5432), "allow");
  assert.equal(acts(boundScenario, "web@dmz", "database@lan", "tcp", 5433), "deny");
  assert.equal(acts(boundScenario, "web@dmz", "database@lan", "udp", 5432), "deny");
  assert.equal(acts(boundScenario, "mail@dmz", "database@lan", "tcp", 5432), "allow");
  assert.equal(acts(boundScenario, "attacker@wan", "database@lan", "tcp", 5432), "deny");
});

test("the first denial among the grounds decides", () => {
  const { action, grounds } = judgeScenario(
    boundScenario,
    flow("database@lan", "workstation@lan", "tcp", 22),
  );
  assert.equal(action, "deny");
  assert.deepEqual(
    grounds.map((ground) => (ground.kind === "rule" ? ground.rule.name : ground.kind)),
    ["among-lan", "calls-nobody"],
  );
});

test("inout speaks for both sides, and a list that ends says the plan's default", () => {
  assert.equal(acts(boundScenario, "sensor@lan", "database@lan", "tcp", 5432), "deny");
  assert.equal(acts(boundScenario, "workstation@lan", "sensor@lan", "udp", 514), "allow");
  assert.equal(acts(boundScenario, "workstation@lan", "sensor@lan", "udp", 515), "deny");
  const lax: BoundScenario = { ...boundScenario, default: "allow" };
  assert.equal(acts(lax, "attacker@wan", "web@dmz", "tcp", 22), "allow");
  assert.equal(acts(boundScenario, "attacker@wan", "web@dmz", "tcp", 22), "deny");
});

test("where nobody has a word the plan's default holds", () => {
  const silent: BoundScenario = { ...boundScenario, rules: [] };
  assert.equal(acts(silent, "web@dmz", "mail@dmz", "icmp"), "deny");
  assert.equal(acts({ ...silent, default: "allow" }, "web@dmz", "mail@dmz", "icmp"), "allow");
});

test("what isn't TCP, UDP or ICMP is matched by any alone", () => {
  assert.equal(acts(boundScenario, "workstation@lan", "mail@dmz", "icmp"), "allow");
  assert.equal(acts(boundScenario, "workstation@lan", "mail@dmz", "other"), "deny");
  const open: BoundScenario = {
    ...boundScenario,
    rules: boundScenario.rules.filter(({ name }) => name === "anything-out"),
  };
  assert.equal(acts(open, "workstation@lan", "mail@dmz", "other"), "allow");
});

const anyFlow = (
  attachments: readonly { readonly holder: PlanAddress; readonly network: PlanAddress }[],
): fc.Arbitrary<Flow> =>
  fc.record({
    source: fc.constantFrom(...attachments),
    destination: fc.constantFrom(...attachments),
    protocol: fc.constantFrom("tcp", "udp"),
    port: fc.constantFrom(22, 53, 80, 443, 8080, 3128, 8443),
  });

test("property: a plain evaluator of the plan agrees", () => {
  fc.assert(
    fc.property(
      anyBoundScenario.chain((bound) =>
        fc.tuple(fc.constant(bound), fc.array(anyFlow(bound.attachments), { minLength: 20 })),
      ),
      ([bound, flows]) => {
        for (const each of flows) {
          for (const one of [each, { ...each, protocol: "icmp" as const, port: null }]) {
            assert.equal(judgeScenario(bound, one).action, referenceScenario(bound, one));
          }
        }
      },
    ),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("property: a plain evaluator of the policy agrees", () => {
  fc.assert(
    fc.property(
      anyBoundPlatform.chain((bound) =>
        fc.tuple(fc.constant(bound), fc.array(anyFlow(bound.attachments), { minLength: 20 })),
      ),
      ([bound, flows]) => {
        for (const each of flows) {
          assert.equal(judgePlatform(bound, each).action, referencePlatform(bound, each));
        }
      },
    ),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});
