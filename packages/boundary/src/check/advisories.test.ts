import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { referenceScenario } from "../meaning/testing/reference.js";
import type { AclRule, BoundScenario, Flow } from "../model/index.js";
import { anyBoundScenario } from "../testing/arbitraries.js";
import { boundScenario } from "../testing/index.js";
import { advisoriesOf } from "./advisories.js";

const without = (bound: BoundScenario, left: AclRule): BoundScenario => ({
  ...bound,
  rules: bound.rules
    .filter((rule) => rule !== left)
    .map((rule) =>
      rule.owner === left.owner && rule.order > left.order
        ? { ...rule, order: rule.order - 1 }
        : rule,
    ),
});

const SERVICES: readonly Pick<Flow, "protocol" | "port">[] = [
  ...(["tcp", "udp"] as const).flatMap((protocol) =>
    [1, 22, 53, 80, 443].map((port) => ({ protocol, port })),
  ),
  { protocol: "icmp", port: null },
  { protocol: "other", port: null },
];

const flowsOf = ({ attachments }: BoundScenario): readonly Flow[] =>
  attachments.flatMap((source) =>
    attachments
      .filter((destination) => destination !== source)
      .flatMap((destination) => SERVICES.map((service) => ({ source, destination, ...service }))),
  );

test("advice is on exactly the rules without which every flow fares the same", () => {
  fc.assert(
    fc.property(anyBoundScenario, (bound) => {
      const advised = new Set(advisoriesOf(bound).map(({ rule }) => rule));
      const flows = flowsOf(bound);
      for (const rule of bound.rules) {
        const rest = without(bound, rule);
        const isIdle = flows.every(
          (flow) => referenceScenario(bound, flow) === referenceScenario(rest, flow),
        );
        assert.equal(advised.has(rule), isIdle, JSON.stringify(rule));
      }
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("an allow rule is no idle one where its list's end denies the rest, and nobody else does", () => {
  const named = (...names: readonly string[]): BoundScenario => ({
    ...boundScenario,
    rules: boundScenario.rules.filter(({ name }) => names.includes(name)),
  });
  const advised = (bound: BoundScenario) => advisoriesOf(bound).map(({ rule }) => rule.name);
  // The workstation speaks for all that it sends, so that 5432 passes either way; 22 only without.
  const both = named("postgres", "anything-out");
  assert.deepEqual(advised(both), []);
  assert.deepEqual(advised({ ...both, default: "allow" }), ["postgres", "anything-out"]);
});
