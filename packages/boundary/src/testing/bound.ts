import { digestOf } from "@drydock/evidence";
import type {
  AclRule,
  AppliancePolicy,
  BoundAttachment,
  BoundNetwork,
  BoundPlatform,
  BoundScenario,
  ObservedContainer,
  PlanAddress,
  ProvisioningPlan,
} from "../model/index.js";
import { PLAN_FILE } from "./plan-file.js";
import { POLICY_FILE } from "./policy-file.js";
import { cidr, ipv4, topology } from "./topology.js";

const net = (name: string): PlanAddress => `provision.network.${name}`;
const node = (name: string): PlanAddress => `provision.node.${name}`;

const lineOf = (start: string): number =>
  PLAN_FILE.slice(0, PLAN_FILE.indexOf(start)).split("\n").length;

type Authored = Pick<AclRule, "name" | "direction" | "action"> &
  Partial<Pick<AclRule, "from" | "to" | "protocol" | "ports">>;

const list = (owner: PlanAddress, ...rules: readonly Authored[]): readonly AclRule[] =>
  rules.map((rule, order) => ({
    owner,
    ownerType: owner.startsWith("provision.node.") ? "node" : "network",
    name: rule.name,
    order,
    direction: rule.direction,
    from: rule.from ?? null,
    to: rule.to ?? null,
    protocol: rule.protocol ?? "any",
    ports: rule.ports ?? [],
    action: rule.action,
    line: lineOf(`{ name: ${rule.name},`),
  }));

/** What `PLAN_FILE` means. */
export const plan: ProvisioningPlan = {
  digest: digestOf(Buffer.from(PLAN_FILE)),
  default: "deny",
  networks: (["dmz", "lan", "wan"] as const).map((name) => {
    const block = cidr(`10.60.${{ lan: 1, dmz: 2, wan: 3 }[name]}.0/24`);
    return {
      address: net(name),
      name,
      cidr: block,
      gateway: block.base + 1,
      line: lineOf(`  ${name}:\n    properties`),
    };
  }),
  nodes: (
    [
      ["attacker", [["wan", "10.60.3.66"]]],
      ["database", [["lan", "10.60.1.10"]]],
      ["mail", [["dmz", "10.60.2.9"]]],
      [
        "sensor",
        [
          ["lan", "10.60.1.30"],
          ["dmz", "10.60.2.30"],
        ],
      ],
      ["web", [["dmz", "10.60.2.8"]]],
      ["workstation", [["lan", "10.60.1.20"]]],
    ] as const
  ).map(([name, places]) => ({
    address: node(name),
    name,
    image: null,
    command: null,
    attachments: places.map(([on, address]) => ({ network: net(on), ipv4: ipv4(address) })),
    line: lineOf(`  ${name}:\n    links`),
  })),
  rules: [
    ...list(
      net("lan"),
      {
        name: "no-dmz-to-lan-ssh",
        direction: "in",
        from: net("dmz"),
        protocol: "tcp",
        ports: [22],
        action: "deny",
      },
      {
        name: "dmz-to-database",
        direction: "in",
        from: net("dmz"),
        protocol: "tcp",
        ports: [5432],
        action: "allow",
      },
      { name: "among-lan", direction: "in", from: net("lan"), action: "allow" },
    ),
    ...list(net("wan"), { name: "nothing-to-wan", direction: "in", action: "deny" }),
    ...list(
      node("database"),
      { name: "postgres", direction: "in", protocol: "tcp", ports: [5432], action: "allow" },
      { name: "calls-nobody", direction: "out", action: "deny" },
    ),
    ...list(
      node("mail"),
      { name: "smtp", direction: "in", protocol: "tcp", ports: [25], action: "allow" },
      {
        name: "imap-from-lan",
        direction: "in",
        from: net("lan"),
        protocol: "tcp",
        ports: [143, 993],
        action: "allow",
      },
      { name: "ping", direction: "in", protocol: "icmp", action: "allow" },
    ),
    ...list(
      node("sensor"),
      { name: "syslog", direction: "in", protocol: "udp", ports: [514], action: "allow" },
      { name: "silent", direction: "inout", action: "deny" },
    ),
    ...list(
      node("web"),
      { name: "http", direction: "in", protocol: "tcp", ports: [80, 443], action: "allow" },
      {
        name: "to-database",
        direction: "out",
        to: net("lan"),
        protocol: "tcp",
        ports: [5432],
        action: "allow",
      },
    ),
    ...list(node("workstation"), { name: "anything-out", direction: "out", action: "allow" }),
  ],
};

/** What `POLICY_FILE` means. */
export const policy: AppliancePolicy = {
  digest: digestOf(Buffer.from(POLICY_FILE)),
  id: "seat-default",
  generation: 3,
  workbenchPolicyVersion: "participant-workbench-profile/v1",
  networks: {
    participant: { key: "x.net", value: "participant" },
    management: { key: "x.net", value: "management" },
    egress: { key: "x.net", value: "egress" },
  },
  anchors: {
    participant: { key: "x.zone", value: "participant" },
    management: { key: "x.zone", value: "management" },
    egress: { key: "x.zone", value: "egress" },
  },
  crossings: [
    {
      source: "participant",
      destination: "management",
      protocol: "tcp",
      ports: [8443],
      purpose: "workbench",
      line: 18,
    },
    {
      source: "management",
      destination: "egress",
      protocol: "tcp",
      ports: [3128],
      purpose: "broker",
      line: 19,
    },
  ],
  egressAuthorities: [{ authority: "api.vendor.test", port: 443, purpose: "model", line: 22 }],
  egressResolvers: [ipv4("192.0.2.53")],
  egressLimits: {
    maxConnections: 32,
    maxHeaderBytes: 4096,
    headerTimeoutSeconds: 5,
    connectTimeoutSeconds: 10,
    idleTimeoutSeconds: 60,
  },
  publications: [
    { audience: "participant", address: ipv4("127.0.0.1"), port: 3000, protocol: "tcp" },
    { audience: "recovery", address: ipv4("127.0.0.1"), port: 8400, protocol: "tcp" },
  ],
  hostMcpContract: null,
  allowedHolders: [{ key: "x.role", value: "deployer" }],
  observationFreshnessSeconds: 5,
  allowHostNetwork: false,
};

const bridgeOf = (address: PlanAddress): string => `br-${address.split(".")[2]}`;

const platformNetwork = (zone: string, block: string): BoundNetwork => ({
  address: `platform.network.${zone}`,
  bridge: `br-${zone}`,
  cidr: cidr(block),
  gateway: cidr(block).base + 1,
});

const attachmentsOf = (
  { endpoints }: ObservedContainer,
  holder: PlanAddress,
  family: "provision" | "platform",
): readonly BoundAttachment[] =>
  endpoints.map((endpoint) => {
    const on = topology.networks.find(({ id }) => id === endpoint.network);
    if (on?.bridge == null || endpoint.ipv4 === null || endpoint.mac === null) {
      throw new Error(`the fixture's ${holder} is nowhere`);
    }
    return {
      holder,
      network: `${family}.network.${on.name}`,
      bridge: on.bridge,
      ipv4: endpoint.ipv4,
      mac: endpoint.mac,
      port: endpoint.port,
    };
  });

const byAddress = (a: BoundAttachment, b: BoundAttachment): number =>
  `${a.holder} ${a.network}` < `${b.holder} ${b.network}` ? -1 : 1;

export const boundScenario: BoundScenario = {
  planDigest: plan.digest,
  default: plan.default,
  networks: plan.networks.map(({ address, cidr: block, gateway }) => ({
    address,
    bridge: bridgeOf(address),
    cidr: block,
    gateway,
  })),
  attachments: topology.containers
    .flatMap((held) => {
      const address = held.labels["dev.drydock.plan-address"];
      return address === undefined ? [] : attachmentsOf(held, address, "provision");
    })
    .sort(byAddress),
  rules: plan.rules,
};

export const boundPlatform: BoundPlatform = {
  policyDigest: policy.digest,
  networks: {
    participant: platformNetwork("participant", "10.99.1.0/24"),
    management: platformNetwork("management", "10.99.2.0/24"),
    egress: platformNetwork("egress", "10.99.3.0/24"),
  },
  attachments: topology.containers
    .flatMap((held) => {
      const zone = held.labels["x.zone"];
      return zone === undefined ? [] : attachmentsOf(held, `platform.anchor.${zone}`, "platform");
    })
    .sort(byAddress),
  crossings: [
    {
      ...at(policy.crossings, 0),
      network: "platform.network.management",
      sourceIpv4: ipv4("10.99.2.10"),
      destinationIpv4: ipv4("10.99.2.20"),
    },
    {
      ...at(policy.crossings, 1),
      network: "platform.network.management",
      sourceIpv4: ipv4("10.99.2.20"),
      destinationIpv4: ipv4("10.99.2.30"),
    },
  ],
  egress: {
    authorities: policy.egressAuthorities,
    resolvers: policy.egressResolvers,
    ipv4: ipv4("10.99.3.30"),
  },
  publications: [
    {
      ...at(policy.publications, 0),
      target: { network: "platform.network.participant", ipv4: ipv4("10.99.1.10"), port: 8080 },
    },
    {
      ...at(policy.publications, 1),
      target: { network: "platform.network.management", ipv4: ipv4("10.99.2.20"), port: 8400 },
    },
  ],
};

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`the fixture has no item ${index}`);
  return item;
}
