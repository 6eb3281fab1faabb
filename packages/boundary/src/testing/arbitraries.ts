import fc from "fast-check";
import {
  type AclRule,
  type BoundAttachment,
  type BoundNetwork,
  type BoundPlatform,
  type BoundScenario,
  formatIpv4,
  type Ipv4,
  type PlanAddress,
} from "../model/index.js";
import { boundPlatform } from "./bound.js";
import { cidr, ipv4 } from "./topology.js";

/** Few ports, so that rules meet. */
const PORTS = [22, 53, 80, 443] as const;

const ports = fc
  .subarray([...PORTS], { minLength: 0, maxLength: 3 })
  .map((some) => [...some].sort((one, other) => one - other));

const macOf = (address: Ipv4): string =>
  `02:42:${formatIpv4(address)
    .split(".")
    .map((octet) => Number(octet).toString(16).padStart(2, "0"))
    .join(":")}`;

const scenarioNetwork = (index: number): BoundNetwork => {
  const block = cidr(`10.60.${index}.0/24`);
  return {
    address: `provision.network.n${index}`,
    bridge: `br-n${index}`,
    cidr: block,
    gateway: block.base + 1,
  };
};

const attach = (
  holder: PlanAddress,
  { address, bridge, cidr: block }: BoundNetwork,
  host: number,
): BoundAttachment => ({
  holder,
  network: address,
  bridge,
  ipv4: block.base + host,
  mac: macOf(block.base + host),
  port: `v${bridge.slice(3)}${holder.slice(holder.lastIndexOf(".") + 1)}`,
});

const ruleOf = (networks: readonly BoundNetwork[]) => {
  const network = fc.option(fc.constantFrom(...networks.map(({ address }) => address)));
  return fc.record({
    direction: fc.constantFrom("in" as const, "out" as const, "inout" as const),
    from: network,
    to: network,
    service: fc.oneof(
      fc.record({ protocol: fc.constantFrom("tcp" as const, "udp" as const), ports }),
      fc.record({
        protocol: fc.constantFrom("any" as const, "icmp" as const),
        ports: fc.constant<number[]>([]),
      }),
    ),
    action: fc.constantFrom("allow" as const, "deny" as const),
  });
};

/** One to three networks, one to four nodes on one or two of them, up to three rules an owner. */
export const anyBoundScenario: fc.Arbitrary<BoundScenario> = fc
  .integer({ min: 1, max: 3 })
  .chain((count) => {
    const networks = Array.from({ length: count }, (_, index) => scenarioNetwork(index));
    const places = fc.array(
      fc.subarray(networks, { minLength: 1, maxLength: Math.min(2, count) }),
      { minLength: 1, maxLength: 4 },
    );
    return fc.tuple(fc.constant(networks), places, fc.constantFrom("allow", "deny"));
  })
  .chain(([networks, places, otherwise]) => {
    const nodes = places.map((_, index) => `provision.node.m${index}`);
    const owners = [...networks.map(({ address }) => address), ...nodes];
    const lists = fc.tuple(
      ...owners.map(() =>
        fc.oneof(
          { weight: 1, arbitrary: fc.constant([]) },
          { weight: 2, arbitrary: fc.array(ruleOf(networks), { maxLength: 3 }) },
        ),
      ),
    );
    return lists.map((authored): BoundScenario => {
      const attachments = places.flatMap((on, index) =>
        on.map((network) => attach(`provision.node.m${index}`, network, 10 + index)),
      );
      return {
        planDigest: boundPlatform.policyDigest,
        default: otherwise as "allow" | "deny",
        networks,
        attachments,
        rules: owners.flatMap((owner, at) =>
          (authored[at] ?? []).map(
            ({ direction, from, to, service, action }, order): AclRule => ({
              owner,
              ownerType: owner.startsWith("provision.node.") ? "node" : "network",
              name: `r${order}`,
              order,
              direction,
              from,
              to,
              ...service,
              action,
              line: 100 * at + order + 1,
            }),
          ),
        ),
      };
    });
  });

const signedPorts = fc
  .subarray([...PORTS], { minLength: 1, maxLength: 2 })
  .map((some) => [...some].sort((one, other) => one - other));

const protocol = fc.constantFrom("tcp" as const, "udp" as const);

/** The fixture's three zones and anchors with other crossings, authorities and publications. */
export const anyBoundPlatform: fc.Arbitrary<BoundPlatform> = fc
  .record({
    crossings: fc.uniqueArray(
      fc.record({ which: fc.constantFrom(0, 1), protocol, ports: signedPorts }),
      { maxLength: 3, selector: (one) => JSON.stringify(one) },
    ),
    egress: fc.option(
      fc.record({
        ports: signedPorts,
        resolvers: fc.subarray(["10.1.2.3", "9.9.9.9"], { minLength: 0 }),
      }),
    ),
    publications: fc.uniqueArray(
      fc.record({ which: fc.constantFrom(0, 1), protocol, port: fc.constantFrom(...PORTS) }),
      { maxLength: 2, selector: (one) => JSON.stringify(one) },
    ),
  })
  .map(({ crossings, egress, publications }): BoundPlatform => {
    const [first, second] = boundPlatform.crossings;
    const [third, fourth] = boundPlatform.publications;
    if (!first || !second || !third || !fourth) throw new Error("the fixture has two of each");
    return {
      ...boundPlatform,
      crossings: crossings.map(({ which, protocol: by, ports: to }, index) => ({
        ...([first, second][which] ?? first),
        protocol: by,
        ports: to,
        purpose: `crossing ${index}`,
      })),
      egress:
        egress === null
          ? null
          : {
              authorities: egress.ports.map((port) => ({
                authority: `api${port}.vendor.test`,
                port,
                purpose: "model",
                line: 22,
              })),
              resolvers: egress.resolvers.map(ipv4),
              ipv4: ipv4("10.99.3.30"),
            },
      publications: publications.map(({ which, protocol: by, port }, index) => {
        const published = [third, fourth][which] ?? third;
        return {
          ...published,
          port: 3000 + index,
          protocol: by,
          target: { ...published.target, port },
        };
      }),
    };
  });
