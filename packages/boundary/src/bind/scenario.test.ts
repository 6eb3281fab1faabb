import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ObservedContainer,
  ObservedNetwork,
  ObservedTopology,
  ProvisioningPlan,
} from "../model/index.js";
import { boundScenario, cidr, container, ipv4, network, plan, topology } from "../testing/index.js";
import { bindScenario } from "./scenario.js";

const LABEL = "dev.drydock.plan-address";

const withNetwork = (name: string, change: Partial<ObservedNetwork>): ObservedTopology => ({
  ...topology,
  networks: topology.networks.map((each) => (each.name === name ? { ...each, ...change } : each)),
});

const withContainer = (
  name: string,
  change: (found: ObservedContainer) => ObservedContainer,
): ObservedTopology => ({
  ...topology,
  containers: topology.containers.map((each) => (each.name === name ? change(each) : each)),
});

const withEndpoint = (
  name: string,
  change: Partial<ObservedContainer["endpoints"][number]>,
): ObservedTopology =>
  withContainer(name, (found) => ({
    ...found,
    endpoints: found.endpoints.map((endpoint, index) =>
      index === 0 ? { ...endpoint, ...change } : endpoint,
    ),
  }));

const also = (...containers: readonly ObservedContainer[]): ObservedTopology => ({
  ...topology,
  containers: [...topology.containers, ...containers],
});

const alsoNetwork = (...networks: readonly ObservedNetwork[]): ObservedTopology => ({
  ...topology,
  networks: [...topology.networks, ...networks],
});

const without = (name: string): ObservedTopology => ({
  ...topology,
  networks: topology.networks.filter((each) => each.name !== name),
  containers: topology.containers.filter((each) => each.name !== name),
});

const on = (name: string, place: string) => container(name, [["dmz", place]], {});

test("a plan whose parts are all there, once and in their places, is bound", () => {
  assert.deepEqual(bindScenario(plan, topology), boundScenario);
});

test("the order in which things were observed says nothing", () => {
  const turned = {
    ...topology,
    networks: [...topology.networks].reverse(),
    containers: [...topology.containers].reverse(),
  };
  assert.deepEqual(bindScenario(plan, turned), boundScenario);
});

test("a container that doesn't run has no port, and its address from the plan", () => {
  const stopped = withContainer("web", (found) => ({
    ...found,
    running: false,
    endpoints: found.endpoints.map((endpoint) => ({ ...endpoint, ipv4: null, mac: null })),
  }));
  const expected = boundScenario.attachments.map((each) =>
    each.holder === "provision.node.web" ? { ...each, port: null } : each,
  );
  assert.deepEqual(bindScenario(plan, stopped).attachments, expected);
});

test("before any container is there, everything has its place and nothing a port", () => {
  const bare = { ...topology, containers: [] };
  const expected = boundScenario.attachments.map((each) => ({ ...each, port: null }));
  assert.deepEqual(bindScenario(plan, bare, { phase: "networks" }), {
    ...boundScenario,
    attachments: expected,
  });
  assert.throws(() => bindScenario(plan, bare), { code: "BIND_NODE_UNREALISED" });
});

test("a container elsewhere is nobody's business here", () => {
  assert.doesNotThrow(() =>
    bindScenario(plan, also(container("x", [["egress", "10.99.3.9"]], {}))),
  );
});

const WEB = { [LABEL]: "provision.node.web" };

const OBSERVED: readonly (readonly [what: string, topology: ObservedTopology, code: string])[] = [
  ["a missing network", without("wan"), "BIND_NETWORK_UNOBSERVED"],
  ["a network without its label", withNetwork("wan", { labels: {} }), "BIND_NETWORK_UNOBSERVED"],
  [
    "a second network with the label",
    alsoNetwork(network("wan2", "10.61.0.0/24", { [LABEL]: "provision.network.wan" })),
    "BIND_NETWORK_AMBIGUOUS",
  ],
  ["another driver", withNetwork("wan", { driver: "macvlan" }), "BIND_BRIDGE_UNOBSERVABLE"],
  ["no bridge", withNetwork("wan", { bridge: null }), "BIND_BRIDGE_UNOBSERVABLE"],
  [
    "a bridge's name of 16",
    withNetwork("wan", { bridge: "b".repeat(16) }),
    "BIND_BRIDGE_UNOBSERVABLE",
  ],
  [
    "a bridge's name with a quote",
    withNetwork("wan", { bridge: 'br"wan' }),
    "BIND_BRIDGE_UNOBSERVABLE",
  ],
  ["no subnet", withNetwork("wan", { ipv4: null }), "BIND_BRIDGE_UNOBSERVABLE"],
  ["no gateway", withNetwork("wan", { gateway: null }), "BIND_BRIDGE_UNOBSERVABLE"],
  [
    "a gateway elsewhere",
    withNetwork("wan", { gateway: ipv4("10.1.1.1") }),
    "BIND_BRIDGE_UNOBSERVABLE",
  ],
  ["a network with IPv6", withNetwork("wan", { hasIpv6: true }), "BIND_IPV6"],
  ["another subnet", withNetwork("wan", { ipv4: cidr("10.60.3.0/25") }), "BIND_SUBNET_DIFFERENT"],
  ["another gateway", withNetwork("wan", { gateway: ipv4("10.60.3.2") }), "BIND_SUBNET_DIFFERENT"],
  ["a bridge of two networks", withNetwork("wan", { bridge: "br-egress" }), "BIND_BRIDGE_SHARED"],
  [
    "a subnet around a platform's",
    withNetwork("egress", { ipv4: cidr("10.60.0.0/16") }),
    "BIND_SUBNET_OVERLAP",
  ],
  ["a missing node", without("web"), "BIND_NODE_UNREALISED"],
  [
    "a container of the same name without the label",
    withContainer("web", (found) => ({ ...found, labels: {} })),
    "BIND_NODE_UNREALISED",
  ],
  [
    "a second container with the label",
    also(container("web2", [["dmz", "10.60.2.99"]], WEB)),
    "BIND_NODE_AMBIGUOUS",
  ],
  [
    "a container on another network",
    withContainer("web", (found) => ({ ...found, endpoints: [] })),
    "BIND_ATTACHMENT_UNOBSERVED",
  ],
  [
    "a container on a network more",
    withContainer("web", (found) => ({
      ...found,
      endpoints: [...found.endpoints, ...container("web", [["lan", "10.60.1.99"]], {}).endpoints],
    })),
    "BIND_ATTACHMENT_UNPLANNED",
  ],
  [
    "a container on the platform's network as well",
    withContainer("web", (found) => ({
      ...found,
      endpoints: [
        ...found.endpoints,
        ...container("web", [["egress", "10.99.3.99"]], {}).endpoints,
      ],
    })),
    "BIND_ATTACHMENT_UNPLANNED",
  ],
  [
    "another address",
    withEndpoint("web", { ipv4: ipv4("10.60.2.9") }),
    "BIND_ATTACHMENT_DIFFERENT",
  ],
  [
    "a running container without an address",
    withEndpoint("web", { ipv4: null }),
    "BIND_ATTACHMENT_DIFFERENT",
  ],
  [
    "a stopped container with another address",
    withContainer("web", (found) => ({
      ...found,
      running: false,
      endpoints: found.endpoints.map((endpoint) => ({ ...endpoint, ipv4: ipv4("10.60.2.77") })),
    })),
    "BIND_ATTACHMENT_DIFFERENT",
  ],
  ["an endpoint with IPv6", withEndpoint("web", { hasIpv6: true }), "BIND_IPV6"],
  [
    "a running container without a port",
    withEndpoint("web", { port: null }),
    "BIND_PORT_UNOBSERVABLE",
  ],
  ["a port's name with a quote", withEndpoint("web", { port: 'v"eth' }), "BIND_PORT_UNOBSERVABLE"],
  [
    "a running container without a MAC",
    withEndpoint("web", { mac: null }),
    "BIND_PORT_UNOBSERVABLE",
  ],
  ["a group's MAC", withEndpoint("web", { mac: "01:00:5e:00:00:01" }), "BIND_PORT_UNOBSERVABLE"],
  [
    "a MAC in capitals",
    withEndpoint("web", { mac: "02:42:0A:3C:02:08" }),
    "BIND_PORT_UNOBSERVABLE",
  ],
  ["nobody's MAC", withEndpoint("web", { mac: "00:00:00:00:00:00" }), "BIND_PORT_UNOBSERVABLE"],
  ["a neighbour's MAC", withEndpoint("web", { mac: "02:42:0a:3c:02:09" }), "BIND_IDENTITY_SHARED"],
  ["another's port", withEndpoint("web", { port: "v0attacker" }), "BIND_IDENTITY_SHARED"],
  ["somebody who isn't planned", also(on("guest", "10.60.2.99")), "BIND_FOREIGN_CONTAINER"],
  [
    "an anchor among the nodes",
    also(container("gate2", [["dmz", "10.60.2.99"]], { "x.zone": "participant" })),
    "BIND_FOREIGN_CONTAINER",
  ],
  [
    "a published node",
    withContainer("web", (found) => ({
      ...found,
      publications: [{ address: "127.0.0.1", port: 8080, protocol: "tcp", target: 80 }],
    })),
    "BIND_PUBLICATION_UNSIGNED",
  ],
];

for (const [what, observed, code] of OBSERVED) {
  test(`${what} is not what was planned`, () => {
    assert.throws(() => bindScenario(plan, observed), { code, name: "DrydockError" });
  });
}

const [first] = plan.rules;
assert.ok(first);

const withRule = (change: Partial<typeof first>): ProvisioningPlan => ({
  ...plan,
  rules: [...plan.rules, { ...first, name: "made-by-hand", ...change }],
});

const node = { owner: "provision.node.web", ownerType: "node" } as const;
const LAN = "provision.network.lan";
const DMZ = "provision.network.dmz";

test("a node's rule may name the networks that it is on, and on the other side any", () => {
  for (const change of [
    { ...node, direction: "in", from: LAN, to: DMZ },
    { ...node, direction: "out", from: DMZ, to: LAN },
    { ...node, direction: "inout", from: DMZ, to: DMZ },
    { ...node, direction: "inout", from: null, to: null },
  ] as const)
    assert.doesNotThrow(() => bindScenario(withRule(change), topology));
});

const PLANNED: readonly (readonly [what: string, change: Partial<typeof first>, code: string])[] = [
  ["an owner of two types", { ...node, ownerType: "network" }, "BIND_OWNER_AMBIGUOUS"],
  ["a network called a node", { owner: LAN, ownerType: "node" }, "BIND_OWNER_AMBIGUOUS"],
  ["an owner of another plan", { ...node, owner: "provision.node.ghost" }, "BIND_OWNER_UNREALISED"],
  ["a network of another plan", { owner: "provision.network.ghost" }, "BIND_OWNER_UNREALISED"],
  [
    "a node's rule in to where it isn't",
    { ...node, direction: "in", to: LAN },
    "BIND_OWNER_WITHOUT_ADDRESS",
  ],
  [
    "a node's rule out from where it isn't",
    { ...node, direction: "out", from: LAN },
    "BIND_OWNER_WITHOUT_ADDRESS",
  ],
  [
    "a node's rule both ways, in part",
    { ...node, direction: "inout", from: DMZ, to: LAN },
    "BIND_OWNER_WITHOUT_ADDRESS",
  ],
];

for (const [what, change, code] of PLANNED) {
  test(`${what} isn't bound`, () => {
    assert.throws(() => bindScenario(withRule(change), topology), { code, name: "DrydockError" });
  });
}
