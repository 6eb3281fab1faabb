import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BoundScenario, Realisation, Rule, Ruleset, Table } from "../model/index.js";
import { boundPlatform, boundScenario } from "../testing/index.js";
import {
  compileFloor,
  compilePlatform,
  compileScenario,
  platformLines,
  scenarioLines,
} from "./index.js";

const REALISATIONS: readonly Realisation[] = ["native", "br_netfilter"];

const compiled = (realisation: Realisation): readonly Ruleset[] => {
  const options = { owner: "seat-1", realisation };
  const networks = boundScenario.networks;
  return [
    compileScenario(boundScenario, options),
    compilePlatform(boundPlatform, options),
    compileFloor("scenario", { networks, ports: ["v0web"] }, options),
  ];
};

const rulesOf = ({ chains }: Table): readonly Rule[] => chains.flatMap(({ rules }) => rules);

const shuffled = (scenario: BoundScenario): BoundScenario => ({
  ...scenario,
  networks: scenario.networks.toReversed(),
  attachments: scenario.attachments.toReversed(),
  rules: scenario.rules.toReversed(),
});

for (const realisation of REALISATIONS) {
  const options = { owner: "seat-1", realisation };

  describe(`a compiled ruleset, ${realisation}`, () => {
    it("is the same for the same input, in whatever order the observation came", () => {
      assert.deepEqual(
        compileScenario(shuffled(boundScenario), options),
        compileScenario(boundScenario, options),
      );
    });

    it("keeps the identity of every rule when another owner gets one more", () => {
      const [first, ...rest] = boundScenario.rules;
      assert.ok(first !== undefined);
      const more = { ...first, name: "one-more", order: 99, owner: "provision.network.dmz" };
      const before = rulesOf(compileScenario(boundScenario, options).inet);
      const after = rulesOf(
        compileScenario({ ...boundScenario, rules: [first, ...rest, more] }, options).inet,
      );
      const identities = new Set(after.map(({ identity }) => identity));
      assert.deepEqual(
        before.filter(({ identity }) => !identities.has(identity)),
        [],
      );
    });

    it("has policy accept everywhere, so that what isn't the authority's stays as it is", () => {
      for (const { inet, bridge } of compiled(realisation)) {
        for (const { base } of [...inet.chains, ...bridge.chains]) {
          assert.ok(base === null || base.policy === "accept");
        }
      }
    });

    it("matches bridges in the bridge family only where the kernel can", () => {
      for (const { bridge } of compiled(realisation)) {
        const kinds = rulesOf(bridge).flatMap(({ matches }) => matches.map(({ kind }) => kind));
        const native = kinds.some((kind) => ["ibrname", "obrname", "ct-state"].includes(kind));
        assert.equal(native, realisation === "native");
      }
    });

    it("never speaks about the other authority's networks", () => {
      const [scenario, platform] = compiled(realisation).map((ruleset) => JSON.stringify(ruleset));
      for (const { bridge } of Object.values(boundPlatform.networks)) {
        assert.ok(platform?.includes(`"${bridge}"`));
        assert.ok(!scenario?.includes(`"${bridge}"`));
      }
      for (const { bridge } of boundScenario.networks) {
        assert.ok(scenario?.includes(`"${bridge}"`));
        assert.ok(!platform?.includes(`"${bridge}"`));
      }
    });

    it("binds nothing to a port that isn't there", () => {
      const attachments = boundScenario.attachments.map((attachment) =>
        attachment.holder === "provision.node.web" ? { ...attachment, port: null } : attachment,
      );
      const text = (scenario: BoundScenario) => JSON.stringify(compileScenario(scenario, options));
      assert.ok(text(boundScenario).includes("binding/provision.node.web"));
      assert.ok(!text({ ...boundScenario, attachments }).includes("binding/provision.node.web"));
    });
  });

  describe(`a floor, ${realisation}`, () => {
    const floor = compileFloor(
      "scenario",
      { networks: boundScenario.networks, ports: [] },
      options,
    );

    it("lets nothing pass by state, by mark or by a publication", () => {
      const accepting = [...rulesOf(floor.inet), ...rulesOf(floor.bridge)].filter(
        ({ effect }) => effect.kind === "accept" || effect.kind === "set-mark",
      );
      assert.deepEqual(
        accepting.map(({ identity }) => identity),
        realisation === "native"
          ? ["forward/not-ours", "forward/not-ours", "forward/arp"]
          : ["forward/not-ours"],
      );
    });

    it("has the tables that the ruleset has, so that one replaces the other", () => {
      const ruleset = compileScenario(boundScenario, options);
      assert.equal(floor.inet.name, ruleset.inet.name);
      assert.equal(floor.bridge.name, ruleset.bridge.name);
      assert.notEqual(floor.digest, ruleset.digest);
    });
  });
}

describe("authored lines", () => {
  it("lead from every authored rule of a ruleset to the author's file", () => {
    const { inet } = compileScenario(boundScenario, { owner: "x", realisation: "br_netfilter" });
    const lines = scenarioLines(boundScenario);
    const shown = rulesOf(inet).filter(({ identity }) => lines.has(identity));
    assert.equal(
      shown.length,
      boundScenario.rules.reduce((sum, { direction }) => sum + (direction === "inout" ? 2 : 1), 0),
    );
  });

  it("lead from crossings and authorities to the policy", () => {
    const { inet } = compilePlatform(boundPlatform, { owner: "x", realisation: "br_netfilter" });
    const lines = platformLines(boundPlatform);
    const shown = rulesOf(inet).flatMap(({ identity }) => lines.get(identity) ?? []);
    assert.deepEqual(
      [...shown].sort(),
      [...boundPlatform.crossings, ...(boundPlatform.egress?.authorities ?? [])]
        .map(({ line }) => line)
        .sort(),
    );
  });
});
