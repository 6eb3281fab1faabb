import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { compileFloor, compilePlatform, compileScenario } from "../compile/index.js";
import type { Boundary } from "../meaning/index.js";
import type { BoundPlatform, BoundScenario, Realisation, Ruleset } from "../model/index.js";
import { anyBoundPlatform, anyBoundScenario } from "../testing/arbitraries.js";
import { boundPlatform, boundScenario, cidr, ipv4 } from "../testing/index.js";
import { type CheckReport, checkExhaustively } from "./check.js";
import { describePacket, printReport } from "./print.js";

const REALISATIONS: readonly Realisation[] = ["native", "br_netfilter"];
const FILES = { plan: "plan.yaml", policy: "policy.json" };

const compile = ({ scenario, platform }: Boundary, realisation: Realisation): Ruleset[] => [
  ...(scenario === null ? [] : [compileScenario(scenario, { owner: "test", realisation })]),
  ...(platform === null ? [] : [compilePlatform(platform, { owner: "test", realisation })]),
];

const check = (boundary: Boundary, realisation: Realisation = "native"): CheckReport =>
  checkExhaustively({ ...boundary, rulesets: compile(boundary, realisation) });

const said = (report: CheckReport): string => printReport(report, FILES);

const fixture: Boundary = { scenario: boundScenario, platform: boundPlatform };

for (const realisation of REALISATIONS) {
  test(`the fixture's rules do what is meant, ${realisation}`, () => {
    const report = check(fixture, realisation);
    assert.equal(report.ok, true, said(report));
    assert.ok(report.cells > 5_000, `${report.cells} cells`);
  });

  test(`property: compiled rules do what is meant, ${realisation}`, () => {
    fc.assert(
      fc.property(anyBoundScenario, anyBoundPlatform, (scenario, platform) => {
        const report = check({ scenario, platform }, realisation);
        assert.equal(report.differing, 0, said(report));
        assert.deepEqual(report.conflicts, []);
        assert.deepEqual(report.gaps, []);
      }),
      { numRuns: Math.ceil(profile.fuzz / 8), seed: profile.seed },
    );
  });

  test(`property: a floor lets nothing pass, ${realisation}`, () => {
    fc.assert(
      fc.property(anyBoundScenario, anyBoundPlatform, (scenario, platform) => {
        const floor = (authority: "scenario" | "platform") => {
          const { networks, attachments } =
            authority === "scenario"
              ? scenario
              : { ...platform, networks: Object.values(platform.networks) };
          const ports = attachments.flatMap(({ port }) => (port === null ? [] : [port]));
          return compileFloor(authority, { networks, ports }, { owner: "test", realisation });
        };
        const report = checkExhaustively({
          scenario,
          platform,
          rulesets: [floor("scenario"), floor("platform")],
          phase: "floor",
        });
        assert.equal(report.ok, true, said(report));
      }),
      { numRuns: Math.ceil(profile.fuzz / 20), seed: profile.seed },
    );
  });

  test(`a floor that was taken for the boundary is found, ${realisation}`, () => {
    const { networks, attachments } = boundScenario;
    const ports = attachments.flatMap(({ port }) => port ?? []);
    const rulesets = [
      ...compile({ scenario: null, platform: boundPlatform }, realisation),
      compileFloor("scenario", { networks, ports }, { owner: "test", realisation }),
    ];
    const report = checkExhaustively({ ...fixture, rulesets });
    assert.equal(report.ok, false);
    assert.ok(report.differences.every(({ ruleset }) => ruleset === "drop"));
  });
}

test("a difference comes as a packet that a person can read, with what is meant and why", () => {
  const lax = compileScenario(
    {
      ...boundScenario,
      rules: boundScenario.rules.filter(({ name }) => name !== "calls-nobody"),
    },
    { owner: "test", realisation: "native" },
  );
  const report = checkExhaustively({ scenario: boundScenario, platform: null, rulesets: [lax] });
  assert.equal(report.ok, false);
  const [difference] = report.differences;
  assert.ok(difference !== undefined);
  assert.equal(difference.code, "BOUNDARY_DIFFERENCE");
  assert.equal(difference.packet.source, ipv4("10.60.1.10"));
  assert.match(describePacket(difference.packet), /^new \S+ 10\.60\.1\.10 → 10\.60\.1\.\d+/);
  assert.match(
    said(report),
    /rule "calls-nobody" of provision\.node\.database says deny \(plan\.yaml:\d+\)/,
  );
  assert.deepEqual(JSON.parse(JSON.stringify(report)).differences[0].packet, difference.packet);
});

test("what isn't observed is a gap, and fails", () => {
  const withoutPort: BoundScenario = {
    ...boundScenario,
    attachments: boundScenario.attachments.map((attachment, index) =>
      index === 0 ? { ...attachment, port: null } : attachment,
    ),
  };
  const report = check({ ...fixture, scenario: withoutPort });
  assert.equal(report.ok, false);
  assert.equal(report.differing, 0, said(report));
  assert.deepEqual(
    report.gaps.map(({ code, about }) => [code, about]),
    [["BOUNDARY_OBSERVATION_GAP", "provision.node.attacker on provision.network.wan"]],
  );
  assert.deepEqual(check(fixture).gaps, []);
});

test("two attachments with one MAC, a bridge of two networks, a missing ruleset: gaps", () => {
  const [first, second, ...others] = boundScenario.attachments;
  const [lan, dmz, ...networks] = boundScenario.networks;
  assert.ok(first && second && lan && dmz);
  const gapsOf = (scenario: BoundScenario) =>
    check({ scenario, platform: null }).gaps.map(({ message }) => message);
  const twin = { ...second, network: first.network, bridge: first.bridge, mac: first.mac };
  assert.ok(
    gapsOf({ ...boundScenario, attachments: [first, twin, ...others] }).includes(
      "its MAC was observed for another one as well",
    ),
  );
  assert.ok(
    gapsOf({ ...boundScenario, networks: [lan, { ...dmz, bridge: lan.bridge }, ...networks] })
      .join()
      .includes("was observed for another network as well"),
  );
  const missing = checkExhaustively({ ...fixture, rulesets: compile(fixture, "native").slice(1) });
  assert.equal(missing.ok, false);
  assert.deepEqual(
    missing.gaps.map(({ about }) => about),
    ["scenario"],
  );
});

test("a packet that one authority opens and the other closes is a conflict, and nobody wins", () => {
  // 8.8.8.0/24 is no special-purpose block, so the egress anchor's 443 reaches into this scenario.
  const block = cidr("8.8.8.0/24");
  const scenario: BoundScenario = {
    ...boundScenario,
    rules: [],
    networks: boundScenario.networks.map((network) =>
      network.bridge === "br-wan" ? { ...network, cidr: block, gateway: block.base + 1 } : network,
    ),
    attachments: boundScenario.attachments.map((attachment) =>
      attachment.bridge === "br-wan" ? { ...attachment, ipv4: ipv4("8.8.8.66") } : attachment,
    ),
  };
  const report = check({ scenario, platform: boundPlatform });
  assert.equal(report.differing, 0, said(report));
  assert.equal(report.ok, false);
  const [conflict] = report.conflicts;
  assert.ok(conflict !== undefined);
  assert.equal(conflict.code, "BOUNDARY_CONFLICT");
  assert.deepEqual(
    [conflict.platform.action, conflict.scenario.action, conflict.packet.destination],
    ["allow", "deny", ipv4("8.8.8.66")],
  );
  assert.deepEqual(check(fixture).conflicts, []);
});

test("a bridge that both authorities have is a conflict", () => {
  const [lan, ...networks] = boundScenario.networks;
  assert.ok(lan !== undefined);
  const bridge = boundPlatform.networks.management.bridge;
  const scenario: BoundScenario = {
    ...boundScenario,
    default: "allow",
    rules: [],
    networks: [{ ...lan, bridge, cidr: boundPlatform.networks.management.cidr }, ...networks],
    attachments: boundScenario.attachments.filter((held) => held.network !== lan.address),
  };
  const platform: BoundPlatform = boundPlatform;
  assert.ok(check({ scenario, platform }).conflicts.length > 0);
});

test("rules that decide nothing, and rules without which nothing changes, are advice alone", () => {
  const adviceOn = (scenario: BoundScenario) => {
    const report = check({ scenario, platform: null });
    assert.equal(report.ok, true, said(report));
    return report.advisories.map(({ kind, rule }) => `${kind} ${rule.name}`);
  };
  const only = (name: string) => boundScenario.rules.filter((rule) => rule.name === name);
  // Upstream's examples: lists that only allow, where the default allows as well.
  assert.deepEqual(adviceOn({ ...boundScenario, default: "allow", rules: only("http") }), [
    "ineffective http",
  ]);
  assert.deepEqual(adviceOn({ ...boundScenario, default: "deny", rules: only("http") }), []);
  const [http] = only("http");
  assert.ok(http !== undefined);
  const narrower = { ...http, name: "narrower", order: 1, ports: [443] };
  assert.deepEqual(adviceOn({ ...boundScenario, rules: [http, narrower] }), ["shadowed narrower"]);
});
