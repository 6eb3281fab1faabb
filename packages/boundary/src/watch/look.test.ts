import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { engineMac } from "../bind/index.js";
import type { ObservedTopology, Ruleset } from "../model/index.js";
import { expectedSettings } from "../readback/index.js";
import { type ApplianceAim, desiredOf, expectedOn, type Seen } from "../realise/index.js";
import { wantedOf } from "../realise/testing/lab-wanted.js";
import { type Listing, normalTable } from "../ruleset/index.js";
import { ipv4, topology } from "../testing/index.js";
import { floorsFor } from "./floors.js";
import { type Look, lookAt, lookAtRules } from "./look.js";

const IMAGE = `sha256:${"1".repeat(64)}`;
const wanted = wantedOf({ owner: "look", image: IMAGE });
const desired = desiredOf(wanted);
const aim: ApplianceAim = { wanted, desired, realisation: "br_netfilter" };
const held = expectedOn(aim, topology);

const listingOf = (rulesets: readonly Ruleset[]): Listing => ({
  version: "1.0.6",
  tables: rulesets
    .flatMap(({ inet, bridge }) => [inet, bridge])
    .map(normalTable)
    .map(({ family, name, comment, chains }) => ({
      ...{ family, name, comment, extras: [], objects: [] },
      chains: chains.map((chain) => ({
        ...{ name: chain.name, base: chain.base, extras: [] },
        rules: chain.rules.map((rule) => ({
          ...{ comment: rule.identity, rule, foreign: null, statements: [] },
        })),
      })),
    })),
});

const settings = new Map(
  expectedSettings({
    realisation: aim.realisation,
    bridges: desired.networks.map(({ spec }) => spec.bridge),
    routes: true,
  }).map(({ name, allowed }) => [name, allowed[0] ?? null]),
);

const web = desired.nodes.find(({ name }) => name === "look-web");

/** The fixture as it runs, but for what a test changes; the engine's container is the made one. */
const seen = (changes: {
  readonly topology?: ObservedTopology;
  readonly listing?: Listing;
  readonly links?: Seen["links"];
  readonly settings?: Seen["settings"];
  readonly web?: { readonly image?: string; readonly labels?: Readonly<Record<string, string>> };
}): Seen => ({
  topology: changes.topology ?? topology,
  networks: [],
  containers: [
    {
      ...{ id: "w", name: "look-web", image: IMAGE, labels: web?.labels ?? {}, running: true },
      ...{ pid: 1, startedAt: "", endpoints: [], publications: [] },
      authority: {
        ...{ privileged: false, hostPid: false, hostNetwork: false, hostIpc: false, devices: 0 },
        ...{ capabilities: [], binds: [], securityOptions: [], environmentNames: [] },
      },
      ...changes.web,
    },
  ],
  listing: changes.listing ?? listingOf(held.rulesets),
  settings: changes.settings ?? settings,
  routes: new Map(),
  links: changes.links ?? [],
});

const look = (changes: Parameters<typeof seen>[0]): Look =>
  lookAt(aim, held, seen(changes), { links: changes.links ?? [] });

const withContainer = (
  name: string,
  change: (one: ObservedTopology["containers"][number]) => Partial<typeof one>,
): ObservedTopology => ({
  ...topology,
  containers: topology.containers.map((one) =>
    one.name === name ? { ...one, ...change(one) } : one,
  ),
});

const withEndpoint = (
  name: string,
  change: Partial<ObservedTopology["containers"][number]["endpoints"][number]>,
) =>
  withContainer(name, ({ endpoints }) => ({
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, ...change })),
  }));

const withNetwork = (name: string, change: Partial<ObservedTopology["networks"][number]>) => ({
  ...topology,
  networks: topology.networks.map((one) => (one.name === name ? { ...one, ...change } : one)),
});

describe("a look", () => {
  it("finds what was bound as it was", () => {
    assert.deepEqual(look({}), { kind: "same" });
    assert.equal(lookAtRules(held, listingOf(held.rulesets)), null);
  });

  it("binds a container again that has another port now, and one that has none", () => {
    const again = look({ topology: withEndpoint("web", { port: "veth99" }) });
    assert.equal(again.kind, "moved");
    const down = withContainer("web", ({ endpoints }) => ({
      running: false,
      endpoints: endpoints.map((endpoint) => ({ ...endpoint, port: null })),
    }));
    assert.equal(look({ topology: down }).kind, "moved");
  });

  const drifts: readonly (readonly [string, Parameters<typeof seen>[0]])[] = [
    ["a table is gone", { listing: listingOf(held.rulesets.slice(0, 1)) }],
    ["a floor is there", { listing: listingOf(floorsFor(aim, held, topology)) }],
    ["a setting is another", { settings: new Map([...settings, ["net/ipv4/ip_forward", "0"]]) }],
    ["a setting wasn't read", { settings: new Map([...settings].slice(1)) }],
    ["a container runs another image", { web: { image: `sha256:${"2".repeat(64)}` } }],
    ["a container wasn't made for it", { web: { labels: {} } }],
    ["a network has another bridge", { topology: withNetwork("wan", { bridge: "br-other" }) }],
    ["a network has IPv6", { topology: withNetwork("lan", { hasIpv6: true }) }],
    [
      "a container has another MAC",
      { topology: withEndpoint("web", { mac: engineMac(ipv4("10.60.2.99")), port: "veth99" }) },
    ],
    [
      "a container bears no address of the plan's",
      { topology: withContainer("web", () => ({ labels: {} })) },
    ],
    [
      "a platform label is on a scenario's network",
      {
        topology: withNetwork("lan", {
          labels: { "dev.drydock.plan-address": "provision.network.lan", "x.net": "egress" },
        }),
      },
    ],
  ];
  for (const [what, changes] of drifts) {
    it(`is drift, or stays unclear until its time is over, when ${what}`, () => {
      const { kind } = look(changes);
      assert.ok(
        kind === "drift" || (what.includes("bears no address") && kind === "unclear"),
        kind,
      );
    });
  }

  describe("at the ports of a bridge", () => {
    const bridge = `${desired.networks.find(({ spec }) => spec.name === "look-dmz")?.spec.bridge}`;
    const link = (name: string): Seen["links"][number] => ({
      ...{ index: 9, name, mac: "", carries: true, peer: null, bridge, ipv4: [], hasIpv6: false },
    });
    const placed = {
      ...topology,
      containers: topology.containers.map((one) => ({ ...one, name: `look-${one.name}` })),
    };
    const own = ["v0web", "v0mail", "v1sensor"].map(link);
    const without = (name: string): ObservedTopology => ({
      ...placed,
      containers: placed.containers.map((one) =>
        one.name === name
          ? {
              ...one,
              running: false,
              endpoints: one.endpoints.map((place) => ({ ...place, port: null })),
            }
          : one,
      ),
    });

    it("finds one that is nobody's, and none of a container's", () => {
      assert.equal(look({ topology: placed, links: own }).kind, "same");
      assert.deepEqual(look({ topology: placed, links: [...own, link("hand")] }), {
        kind: "drift",
        findings: [{ code: "boundary.guest-stray-port", about: `port "hand" of bridge ${bridge}` }],
      });
      const elsewhere = { ...link("hand"), bridge: "br-other" };
      assert.equal(look({ topology: placed, links: [...own, elsewhere] }).kind, "same");
    });

    it("looks again at one that wasn't there before", () => {
      const now = seen({ topology: placed, links: [...own, link("hand")] });
      assert.equal(lookAt(aim, held, now, now).kind, "drift", "control");
      for (const before of [{ links: own }, null]) {
        assert.deepEqual(lookAt(aim, held, now, before), {
          kind: "unclear",
          finding: {
            code: "boundary.guest-stray-port",
            about: `port "hand" of bridge ${bridge}`,
          },
        });
      }
    });

    it("waits where it may be a container's that starts or ends, and for one alone", () => {
      const down = without("look-web");
      const first = expectedOn(aim, down);
      const whole = listingOf(first.rulesets);
      const at = (links: Seen["links"]) =>
        lookAt(aim, first, seen({ topology: down, listing: whole, links }), { links });
      assert.equal(at(own.slice(1)).kind, "same", "control");
      assert.equal(at(own).kind, "unclear");
      assert.equal(at([...own, link("hand")]).kind, "drift");
    });
  });

  it("is unclear while a running container has no port yet, and only with whole rules", () => {
    const starting = withEndpoint("web", { port: null });
    assert.equal(look({ topology: starting }).kind, "unclear");
    const listing = listingOf(held.rulesets.slice(0, 1));
    assert.equal(look({ topology: starting, listing }).kind, "drift");
  });
});

describe("floors", () => {
  const bridgesIn = (rulesets: readonly Ruleset[]) => JSON.stringify(rulesets);

  it("are of both authorities, over what was bound and over what is there now", () => {
    const moved = withNetwork("wan", {
      bridge: "br-other",
      labels: { "dev.drydock.plan-address": "provision.network.wan" },
    });
    const floors = floorsFor(aim, held, moved);
    assert.deepEqual(
      floors.map(({ authority }) => authority),
      ["platform", "scenario"],
    );
    for (const bridge of ["br-other", "br-wan", "br-egress"]) {
      assert.ok(bridgesIn(floors).includes(`"${bridge}"`), bridge);
    }
    assert.ok(!bridgesIn(floorsFor(aim, held, topology)).includes('"br-other"'));
  });

  it("are there without an engine's answer, and without anything bound", () => {
    assert.ok(bridgesIn(floorsFor(aim, held, null)).includes('"br-lan"'));
    assert.ok(bridgesIn(floorsFor(aim, null, topology)).includes('"br-lan"'));
  });

  it("name no network of somebody else's", () => {
    const foreign = { ...topology.networks[0], id: "f", name: "f", labels: {}, bridge: "br-f" };
    const more = { ...topology, networks: [...topology.networks, foreign as never] };
    assert.ok(!bridgesIn(floorsFor(aim, held, more)).includes('"br-f"'));
  });
});
