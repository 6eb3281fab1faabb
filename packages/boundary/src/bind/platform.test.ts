import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  AppliancePolicy,
  ObservedContainer,
  ObservedNetwork,
  ObservedTopology,
} from "../model/index.js";
import { boundPlatform, container, ipv4, network, policy, topology } from "../testing/index.js";
import { bindPlatform } from "./platform.js";

const withNetwork = (name: string, change: Partial<ObservedNetwork>): ObservedTopology => ({
  ...topology,
  networks: topology.networks.map((each) => (each.name === name ? { ...each, ...change } : each)),
});

const withContainer = (
  name: string,
  change: (found: ObservedContainer) => Partial<ObservedContainer>,
): ObservedTopology => ({
  ...topology,
  containers: topology.containers.map((each) =>
    each.name === name ? { ...each, ...change(each) } : each,
  ),
});

const connected = (name: string, on: string, address: string): ObservedTopology =>
  withContainer(name, (found) => ({
    endpoints: [...found.endpoints, ...container(`${name}2`, [[on, address]], {}).endpoints],
  }));

const also = (...containers: readonly ObservedContainer[]): ObservedTopology => ({
  ...topology,
  containers: [...topology.containers, ...containers],
});

const without = (name: string): ObservedTopology => ({
  ...topology,
  networks: topology.networks.filter((each) => each.name !== name),
  containers: topology.containers.filter((each) => each.name !== name),
});

const published = (...publications: ObservedContainer["publications"]) => ({ publications });

test("a policy whose parts are all there, once and in their places, is bound", () => {
  assert.deepEqual(bindPlatform(policy, topology), boundPlatform);
});

test("the order in which things were observed says nothing", () => {
  const turned = {
    ...topology,
    networks: [...topology.networks].reverse(),
    containers: [...topology.containers].reverse(),
  };
  assert.deepEqual(bindPlatform(policy, turned), boundPlatform);
});

test("with its networks alone a platform is a floor: nothing is allowed", () => {
  const floor = bindPlatform(policy, { ...topology, containers: [] }, { phase: "networks" });
  assert.deepEqual(floor, {
    policyDigest: policy.digest,
    networks: boundPlatform.networks,
    attachments: [],
    crossings: [],
    egress: null,
    publications: [],
  });
});

test("without authorities there is no egress, also with a resolver", () => {
  assert.equal(bindPlatform({ ...policy, egressAuthorities: [] }, topology).egress, null);
});

test("a scenario's labels and networks don't concern the platform", () => {
  const more = network("extra", "10.70.0.0/24", {
    "dev.drydock.plan-address": "provision.network.extra",
  });
  assert.doesNotThrow(() =>
    bindPlatform(policy, { ...topology, networks: [...topology.networks, more] }),
  );
});

const labelled = (labels: Readonly<Record<string, string>>) => ({ labels });
const scenario = (name: string) => ({ "dev.drydock.plan-address": `provision.network.${name}` });

const OBSERVED: readonly (readonly [what: string, topology: ObservedTopology, code: string])[] = [
  ["a missing network", without("egress"), "BIND_NETWORK_UNOBSERVED"],
  [
    "a label that is almost the network's",
    withNetwork("egress", labelled({ "x.net": "Egress" })),
    "BIND_NETWORK_UNOBSERVED",
  ],
  [
    "a second network with the label",
    {
      ...topology,
      networks: [...topology.networks, network("forged", "10.98.0.0/24", { "x.net": "egress" })],
    },
    "BIND_NETWORK_AMBIGUOUS",
  ],
  [
    "a scenario's network with the label as well",
    withNetwork("wan", labelled({ ...scenario("wan"), "x.net": "egress" })),
    "BIND_PLATFORM_LABEL_FORGED",
  ],
  [
    "a scenario's network with the label alone",
    {
      ...topology,
      networks: topology.networks
        .filter(({ name }) => name !== "egress")
        .map((each) =>
          each.name === "wan"
            ? { ...each, labels: { ...scenario("wan"), "x.net": "egress" } }
            : each,
        ),
    },
    "BIND_PLATFORM_LABEL_FORGED",
  ],
  [
    "a scenario's container with an anchor's label",
    withContainer("web", () =>
      labelled({ "dev.drydock.plan-address": "provision.node.web", "x.zone": "egress" }),
    ),
    "BIND_PLATFORM_LABEL_FORGED",
  ],
  ["a network with IPv6", withNetwork("egress", { hasIpv6: true }), "BIND_IPV6"],
  [
    "a network without a bridge",
    withNetwork("egress", { bridge: null }),
    "BIND_BRIDGE_UNOBSERVABLE",
  ],
  ["a bridge of two networks", withNetwork("egress", { bridge: "br-wan" }), "BIND_BRIDGE_SHARED"],
  ["a missing anchor", without("broker"), "BIND_ANCHOR_UNOBSERVED"],
  [
    "a second container with the label",
    also(container("forged", [["egress", "10.99.3.40"]], { "x.zone": "egress" })),
    "BIND_ANCHOR_AMBIGUOUS",
  ],
  [
    "a container elsewhere with the label",
    also(container("forged", [], { "x.zone": "egress" })),
    "BIND_ANCHOR_AMBIGUOUS",
  ],
  [
    "an anchor that isn't on its network",
    withContainer("broker", ({ endpoints }) => ({ endpoints: endpoints.slice(0, 1) })),
    "BIND_ANCHOR_WITHOUT_ADDRESS",
  ],
  [
    "an anchor without an address",
    withContainer("broker", ({ endpoints }) => ({
      endpoints: endpoints.map((each) => ({ ...each, ipv4: null })),
    })),
    "BIND_ANCHOR_WITHOUT_ADDRESS",
  ],
  [
    "an anchor with the gateway's address",
    withContainer("broker", ({ endpoints }) => ({
      endpoints: endpoints.map((each, index) =>
        index === 1 ? { ...each, ipv4: ipv4("10.99.3.1") } : each,
      ),
    })),
    "BIND_ANCHOR_WITHOUT_ADDRESS",
  ],
  [
    "an anchor with IPv6",
    withContainer("broker", ({ endpoints }) => ({
      endpoints: endpoints.map((each) => ({ ...each, hasIpv6: true })),
    })),
    "BIND_IPV6",
  ],
  [
    "an anchor on a scenario's network",
    connected("broker", "wan", "10.60.3.99"),
    "BIND_ANCHOR_ON_SCENARIO",
  ],
  [
    "an anchor on a network of nobody's",
    connected("broker", "bridge", "172.17.0.2"),
    "BIND_ANCHOR_ON_SCENARIO",
  ],
  [
    "a scenario's container on the platform's network",
    connected("web", "egress", "10.99.3.99"),
    "BIND_FOREIGN_CONTAINER",
  ],
  [
    "somebody who isn't an anchor",
    also(container("guest", [["management", "10.99.2.99"]], {})),
    "BIND_FOREIGN_CONTAINER",
  ],
  [
    "an anchor's MAC twice",
    withContainer("broker", ({ endpoints }) => ({
      endpoints: endpoints.map((each) => ({ ...each, mac: "02:42:0a:63:02:14" })),
    })),
    "BIND_IDENTITY_SHARED",
  ],
  [
    "two networks in common",
    connected("manager", "participant", "10.99.1.20"),
    "BIND_CROSSING_AMBIGUOUS",
  ],
  [
    "no network in common",
    withContainer("gate", ({ endpoints }) => ({ endpoints: endpoints.slice(0, 1) })),
    "BIND_CROSSING_WITHOUT_PATH",
  ],
  [
    "a signed publication that isn't there",
    withContainer("gate", () => published()),
    "BIND_PUBLICATION_UNOBSERVED",
  ],
  [
    "a publication on every address",
    withContainer("gate", () =>
      published({ address: "0.0.0.0", port: 3000, protocol: "tcp", target: 8080 }),
    ),
    "BIND_PUBLICATION_UNSIGNED",
  ],
  [
    "a publication of another protocol",
    withContainer("gate", () =>
      published({ address: "127.0.0.1", port: 3000, protocol: "udp", target: 8080 }),
    ),
    "BIND_PUBLICATION_UNSIGNED",
  ],
  [
    "a publication more",
    withContainer("gate", ({ publications }) =>
      published(...publications, {
        address: "127.0.0.1",
        port: 3001,
        protocol: "tcp",
        target: 8081,
      }),
    ),
    "BIND_PUBLICATION_UNSIGNED",
  ],
  [
    "another anchor's publication",
    withContainer("broker", () =>
      published({ address: "127.0.0.1", port: 3000, protocol: "tcp", target: 8080 }),
    ),
    "BIND_PUBLICATION_UNSIGNED",
  ],
  [
    "a scenario's publication",
    withContainer("web", () =>
      published({ address: "127.0.0.1", port: 8081, protocol: "tcp", target: 80 }),
    ),
    "BIND_PUBLICATION_UNSIGNED",
  ],
  [
    "a publication to two ports",
    withContainer("gate", ({ publications }) =>
      published(...publications, {
        address: "127.0.0.1",
        port: 3000,
        protocol: "tcp",
        target: 8081,
      }),
    ),
    "BIND_PUBLICATION_AMBIGUOUS",
  ],
];

for (const [what, observed, code] of OBSERVED) {
  test(`${what} is not what was signed`, () => {
    assert.throws(() => bindPlatform(policy, observed), { code, name: "DrydockError" });
  });
}

const SIGNED: readonly (readonly [what: string, change: Partial<AppliancePolicy>, code: string])[] =
  [
    [
      "two labels that one network has",
      { networks: { ...policy.networks, egress: policy.networks.management } },
      "BIND_ZONES_SHARED",
    ],
    [
      "two labels that one anchor has",
      { anchors: { ...policy.anchors, egress: policy.anchors.management } },
      "BIND_ZONES_SHARED",
    ],
    [
      "a resolver on a scenario's network",
      { egressResolvers: [ipv4("10.60.1.10")] },
      "BIND_RESOLVER_INSIDE",
    ],
    [
      "a resolver on the egress network",
      { egressResolvers: [ipv4("10.99.3.53")] },
      "BIND_RESOLVER_INSIDE",
    ],
  ];

for (const [what, change, code] of SIGNED) {
  test(`${what} isn't bound`, () => {
    assert.throws(() => bindPlatform({ ...policy, ...change }, topology), {
      code,
      name: "DrydockError",
    });
  });
}

test("the floor stands on the platform's own networks as well", () => {
  const forged = withNetwork("wan", labelled({ ...scenario("wan"), "x.net": "egress" }));
  assert.throws(() => bindPlatform(policy, forged, { phase: "networks" }), {
    code: "BIND_PLATFORM_LABEL_FORGED",
  });
});
