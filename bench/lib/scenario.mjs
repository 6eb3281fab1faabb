// A bound scenario of any number of rules, the same every time: five networks, nodes on one or two
// of them, every protocol and direction, owners of both kinds.
import { boundPlatform } from "../../packages/boundary/dist/testing/index.js";

const NETWORKS = 5;

/** A linear congruential generator (Numerical Recipes). */
const generator = () => {
  let state = 1;
  return (limit) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * limit);
  };
};

const networks = Array.from({ length: NETWORKS }, (_, index) => {
  const base = 0x0a3c_0000 + index * 256;
  const address = `provision.network.n${index}`;
  return { address, bridge: `br-n${index}`, cidr: { base, prefix: 24 }, gateway: base + 1 };
});

const macOf = (address) =>
  `02:42:${[24, 16, 8, 0].map((shift) => ((address >>> shift) & 255).toString(16).padStart(2, "0")).join(":")}`;

const attachmentsOf = (node) =>
  (node % 7 === 0 ? [node, node + 1] : [node]).map((index) => {
    const { address, bridge, cidr } = networks[index % NETWORKS];
    const ipv4 = cidr.base + 10 + node;
    const port = `v${index % NETWORKS}m${node}`;
    return {
      holder: `provision.node.m${node}`,
      network: address,
      bridge,
      ipv4,
      mac: macOf(ipv4),
      port,
    };
  });

export const scenarioOf = ({ rules, nodes }) => {
  const below = generator();
  const owners = [
    ...networks.map(({ address }) => address),
    ...Array.from({ length: nodes }, (_, node) => `provision.node.m${node}`),
  ];
  const ruleOf = (index) => {
    const owner = owners[index % owners.length];
    const protocol = ["tcp", "tcp", "tcp", "udp", "udp", "icmp", "any"][below(7)];
    const hasPorts = protocol === "tcp" || protocol === "udp";
    const order = Math.floor(index / owners.length);
    const some = () => (below(3) > 0 ? null : networks[below(NETWORKS)].address);
    return {
      owner,
      ownerType: owner.startsWith("provision.node.") ? "node" : "network",
      name: `r${order}`,
      order,
      direction: ["in", "out", "inout"][below(3)],
      from: some(),
      to: some(),
      protocol,
      ports: hasPorts
        ? [...new Set(Array.from({ length: 1 + below(3) }, () => 1 + below(2_000)))].sort(
            (one, other) => one - other,
          )
        : [],
      action: below(3) > 0 ? "allow" : "deny",
      line: index + 1,
    };
  };
  return {
    planDigest: boundPlatform.policyDigest,
    default: "deny",
    networks,
    attachments: Array.from({ length: nodes }, (_, node) => attachmentsOf(node)).flat(),
    rules: Array.from({ length: rules }, (_, index) => ruleOf(index)),
  };
};
