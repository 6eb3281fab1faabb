import assert from "node:assert/strict";
import { test } from "node:test";
import { boundPlatform, boundScenario, ipv4, PLAN_FILE, plan } from "../testing/index.js";
import { type End, explain, printExplanation } from "./explain.js";
import { type Place, placesNamed } from "./place.js";

const boundary = { scenario: boundScenario, platform: boundPlatform };
const FILES = { plan: "plan.yaml", policy: "policy.json" };

const place = (text: string): Place => {
  const [found] = placesNamed(boundary, text);
  assert.ok(found !== undefined, text);
  return found;
};

const printed = (source: string, destination: End, protocol: "tcp" | "udp", port: number): string =>
  printExplanation(
    explain(boundary, plan.nodes, place(source), destination, { protocol, port }),
    FILES,
  );

test("says which rule of which authority decides, and where it stands in the file", () => {
  const text = printed("attacker", place("web"), "tcp", 22);
  const line = PLAN_FILE.split("\n").findIndex((each) => each.includes("name: http,")) + 1;
  assert.match(text, /^deny: tcp\/22 from attacker@wan \(10\.60\.3\.66\) to web@dmz .*routed/);
  assert.match(
    text,
    /^→ deny: provision\.node\.web rules what goes in, none of its rules matches/m,
  );
  assert.match(
    printed("attacker", place("web"), "tcp", 443),
    new RegExp(
      `^→ allow: rule "http" of provision\\.node\\.web says allow \\(plan\\.yaml:${line}\\)`,
      "m",
    ),
  );
});

test("shows every owner's word, and marks the one that decides", () => {
  const text = printed("database", place("workstation"), "tcp", 22);
  assert.match(text, /^ {2}allow: rule "among-lan"/m);
  assert.match(text, /^→ deny: rule "calls-nobody"/m);
});

test("explains what leaves by the egress anchor, and what doesn't", () => {
  const outside = { outside: ipv4("93.184.216.34") };
  assert.match(printed("egress@egress", outside, "tcp", 443), /^→ allow: .*api\.vendor\.test/m);
  assert.match(printed("egress@management", outside, "tcp", 443), /^→ deny: no authority/m);
  assert.match(
    printed("egress@egress", { outside: ipv4("169.254.169.254") }, "tcp", 443),
    /^→ deny: 169\.254\.0\.0\/16 is special-purpose/m,
  );
  assert.match(printed("web", outside, "tcp", 443), /^→ deny: no authority/m);
});

test("says where the rules allow what the containers' routing doesn't carry", () => {
  assert.match(
    printed("workstation", place("sensor@dmz"), "udp", 514),
    /^allow: .*\n(.*\n)+! blocked/,
  );
  assert.doesNotMatch(printed("workstation", place("sensor@lan"), "udp", 514), /blocked/);
});

test("a place is meant by name, name and network, plan address, or address", () => {
  assert.equal(placesNamed(boundary, "sensor").length, 2);
  for (const text of ["sensor@dmz", "provision.node.sensor@dmz", "10.60.2.30"]) {
    assert.deepEqual(placesNamed(boundary, text), [place("sensor@dmz")]);
  }
  assert.deepEqual(placesNamed(boundary, "nobody"), []);
});
