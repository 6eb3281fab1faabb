import { digestOf } from "@drydock/evidence";
import fc from "fast-check";
import {
  type AclRule,
  type AppliancePolicy,
  type PlanNetwork,
  type PlanNode,
  type ProvisioningPlan,
  ZONES,
} from "../model/index.js";
import { networkAddress, nodeAddress } from "../plan/index.js";
import { ipv4 } from "./topology.js";

const PINNED = `registry.test/image@sha256:${"a".repeat(64)}`;

interface Shape {
  readonly networks: number;
  readonly nodes: readonly { readonly on: readonly number[]; readonly image: boolean }[];
  readonly rules: readonly RuleShape[];
  readonly default: "allow" | "deny";
}

interface RuleShape {
  readonly owner: number;
  readonly direction: AclRule["direction"];
  readonly from: number | null;
  readonly to: number | null;
  readonly protocol: AclRule["protocol"];
  readonly ports: readonly number[];
  readonly action: AclRule["action"];
}

const place = fc.option(fc.nat(3), { nil: null, freq: 2 });

const shape: fc.Arbitrary<Shape> = fc.record({
  networks: fc.integer({ min: 1, max: 4 }),
  nodes: fc.array(
    fc.record({
      on: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }),
      image: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  rules: fc.array(
    fc.record({
      owner: fc.nat(9),
      direction: fc.constantFrom("in", "out", "inout"),
      from: place,
      to: place,
      protocol: fc.constantFrom("any", "tcp", "udp", "icmp"),
      ports: fc.uniqueArray(fc.integer({ min: 1, max: 65_535 }), { maxLength: 4 }),
      action: fc.constantFrom("allow", "deny"),
    }),
    { maxLength: 12 },
  ),
  default: fc.constantFrom("allow", "deny"),
});

const networkOf = (index: number): PlanNetwork => {
  const base = ipv4("10.60.0.0") + 256 * index;
  return {
    address: networkAddress(`net${index}`),
    name: `net${index}`,
    cidr: { base, prefix: 24 },
    gateway: base + 1,
    line: 1,
  };
};

/** Plans that bind: rules name only places where their owners are. Lines and digest say nothing. */
export const plans: fc.Arbitrary<ProvisioningPlan> = shape.map(
  ({ networks: count, nodes: machines, rules: written, default: fallback }) => {
    const networks = Array.from({ length: count }, (_, index) => networkOf(index));
    const at = (index: number): PlanNetwork => networks[index % count] ?? networkOf(0);
    const nodes = machines.map(({ on, image }, index): PlanNode => {
      const held = [...new Set(on.map(at))];
      return {
        address: nodeAddress(`node${index}`),
        name: `node${index}`,
        image: image ? PINNED : null,
        command: image ? ["sleep", "1"] : null,
        attachments: held.map(({ address, cidr }) => ({
          network: address,
          ipv4: cidr.base + 10 + index,
        })),
        line: 1,
      };
    });
    const owners = [...networks, ...nodes].map(({ address }) => address).sort();
    const lists = owners.map((owner, ownerIndex) =>
      written
        .filter((rule) => rule.owner % owners.length === ownerIndex)
        .map((rule, order) => ruleOf(rule, owner, order, nodes, at)),
    );
    return {
      digest: digestOf(Buffer.from("")),
      default: fallback,
      networks,
      nodes,
      rules: lists.flat(),
    };
  },
);

const ruleOf = (
  rule: RuleShape,
  owner: string,
  order: number,
  nodes: readonly PlanNode[],
  at: (index: number) => PlanNetwork,
): AclRule => {
  const held = nodes.find(({ address }) => address === owner)?.attachments;
  const place = (index: number | null, isOwnersSide: boolean): string | null => {
    if (index === null) return null;
    if (held === undefined || !isOwnersSide) return at(index).address;
    return held[index % held.length]?.network ?? null;
  };
  const hasPorts = rule.protocol === "tcp" || rule.protocol === "udp";
  return {
    owner,
    ownerType: held === undefined ? "network" : "node",
    name: `rule-${order}`,
    order,
    direction: rule.direction,
    from: place(rule.from, rule.direction !== "in"),
    to: place(rule.to, rule.direction !== "out"),
    protocol: rule.protocol,
    ports: hasPorts ? [...rule.ports].sort((a, b) => a - b) : [],
    action: rule.action,
    line: 1,
  };
};

const port = fc.integer({ min: 1, max: 65_535 });

/** Policies for the platform of the fixture topology. Lines and digest say nothing. */
export const policies: fc.Arbitrary<AppliancePolicy> = fc
  .record({
    crossings: fc.uniqueArray(
      fc.record({
        inner: fc.boolean(),
        protocol: fc.constantFrom("tcp", "udp"),
        ports: fc.uniqueArray(port, { minLength: 1, maxLength: 4 }),
      }),
      {
        maxLength: 4,
        selector: ({ inner, protocol, ports }) => `${inner} ${protocol} ${[...ports].sort()}`,
      },
    ),
    authorities: fc.uniqueArray(fc.constantFrom(443, 80, 8443, 5000), { maxLength: 3 }),
    resolvers: fc.uniqueArray(fc.constantFrom("192.0.2.53", "9.9.9.9", "10.0.0.2"), {
      maxLength: 3,
    }),
    published: fc.uniqueArray(fc.constantFrom("participant", "recovery", "host-mcp"), {
      maxLength: 3,
    }),
    generation: fc.integer({ min: 1, max: 9_999 }),
    freshness: fc.integer({ min: 1, max: 3_600 }),
    allowHostNetwork: fc.boolean(),
  })
  .map((given) => ({
    digest: digestOf(Buffer.from("")),
    id: "seat-random",
    generation: given.generation,
    workbenchPolicyVersion: "participant-workbench-profile/v1",
    networks: zoned("x.net"),
    anchors: zoned("x.zone"),
    crossings: given.crossings.map(({ inner, protocol, ports }, index) => ({
      ...(inner
        ? ({ source: "participant", destination: "management" } as const)
        : ({ source: "management", destination: "egress" } as const)),
      protocol,
      ports: [...ports].sort((a, b) => a - b),
      purpose: `crossing ${index}`,
      line: 1,
    })),
    egressAuthorities: given.authorities.map((authorityPort, index) => ({
      authority: `api${index}.vendor.test`,
      port: authorityPort,
      purpose: "model",
      line: 1,
    })),
    egressResolvers: given.resolvers.map(ipv4),
    egressLimits: {
      maxConnections: 32,
      maxHeaderBytes: 4096,
      headerTimeoutSeconds: 5,
      connectTimeoutSeconds: 10,
      idleTimeoutSeconds: 60,
    },
    publications: given.published.map((audience, index) => ({
      audience,
      address: ipv4("127.0.0.1"),
      port: 3000 + index,
      protocol: "tcp" as const,
    })),
    hostMcpContract: given.published.includes("host-mcp") ? "aptl.restricted-ssh-mcp/v1" : null,
    allowedHolders: [{ key: "x.role", value: "deployer" }],
    observationFreshnessSeconds: given.freshness,
    allowHostNetwork: given.allowHostNetwork,
  }));

const zoned = (key: string): AppliancePolicy["networks"] => {
  const [participant, management, egress] = ZONES;
  const label = (value: string) => ({ key, value });
  return {
    participant: label(participant),
    management: label(management),
    egress: label(egress),
  };
};
