import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import {
  type BoundAttachment,
  type BoundNetwork,
  formatIpv4,
  type PlanAddress,
} from "../model/index.js";
import { LAB_REALISATION } from "./lab-kernel.js";
import { LabNode } from "./lab-node.js";

export interface LabPlan {
  readonly networks: readonly BoundNetwork[];
  /** In the order in which their holders list them: the first has the default route. */
  readonly attachments: readonly BoundAttachment[];
}

const UP_WITHIN_MS = 30_000;
const POLL_MS = 50;

/** Whether the inet family is shown what is bridged: that it is in one realisation is the other's end. */
const CALLS = ["iptables", "ip6tables", "arptables"].map(
  (name) => `net/bridge/bridge-nf-call-${name}`,
);

/**
 * Bridges in one network namespace, which is router and host, and a namespace for each holder,
 * joined by veth pairs as an engine joins containers: what a boundary is compiled for, without an
 * engine. Everything is gone when the test is.
 */
export interface BridgeLab {
  readonly router: LabNode;
  readonly node: (holder: PlanAddress) => LabNode;
  /** Gives a port another name, as an engine does when a container starts again. */
  readonly rename: (port: string, name: string) => Promise<void>;
}

export const openBridgeLab = async (
  t: TestContext,
  { networks, attachments }: LabPlan,
): Promise<BridgeLab> => {
  const holders = [...new Set(attachments.map(({ holder }) => holder))];
  const [router, ...opened] = await Promise.all([0, ...holders].map(() => LabNode.open(t)));
  if (router === undefined) throw new Error("the laboratory has no router");
  const nodes = new Map(opened.map((node, index) => [holders[index], node] as const));
  const node = (holder: PlanAddress): LabNode => {
    const found = nodes.get(holder);
    if (found === undefined) throw new Error(`the laboratory has no ${holder}`);
    return found;
  };
  router.ip("link set lo up", ...networks.flatMap(bridge));
  router.set("net/ipv4/ip_forward", "1");
  for (const setting of CALLS) router.set(setting, LAB_REALISATION === "br_netfilter" ? "1" : "0");
  for (const holder of holders) {
    const own = attachments.filter((attachment) => attachment.holder === holder);
    join(router, node(holder), own, networks);
  }
  await Promise.all(
    attachments.map(({ holder, port }) => {
      if (port === null) throw new Error(`${holder} has no port`);
      return isUp(router, port);
    }),
  );
  return {
    router,
    node,
    rename: async (port, name) => {
      router.ip(`link set ${port} down`, `link set ${port} name ${name}`, `link set ${name} up`);
      await isUp(router, name);
    },
  };
};

/** The kernel says so up to a second after it was set up, and drops frames until then. */
const isUp = async (node: LabNode, device: string): Promise<void> => {
  for (const deadline = performance.now() + UP_WITHIN_MS; performance.now() < deadline; ) {
    const [link] = JSON.parse(node.run("ip", "-json", "link", "show", device));
    if (link.operstate === "UP") return;
    await pause(POLL_MS);
  }
  throw new Error(`${device} doesn't come up`);
};

const bridge = ({ bridge: name, gateway, cidr }: BoundNetwork): readonly string[] => [
  // A frame to LLDP's group address passes no hook at all, and its source would be learned.
  `link add ${name} type bridge forward_delay 0 no_linklocal_learn 1`,
  `address add ${formatIpv4(gateway)}/${cidr.prefix} dev ${name}`,
  `link set ${name} up`,
];

const join = (
  router: LabNode,
  node: LabNode,
  attachments: readonly BoundAttachment[],
  networks: readonly BoundNetwork[],
): void => {
  const places = attachments.map((attachment, index) => {
    const network = networks.find(({ address }) => address === attachment.network);
    if (network === undefined) throw new Error(`the laboratory has no ${attachment.network}`);
    return { attachment, network, device: `eth${index}` };
  });
  router.ip(
    ...places.flatMap(({ attachment: { port, mac }, network, device }) => [
      `link add ${port} type veth peer name ${device} address ${mac} netns ${node.pid}`,
      `link set ${port} master ${network.bridge} up`,
    ]),
  );
  node.ip(
    "link set lo up",
    ...places.flatMap(({ attachment: { ipv4 }, network, device }) => [
      `address add ${formatIpv4(ipv4)}/${network.cidr.prefix} dev ${device}`,
      `link set ${device} up`,
    ]),
    ...places
      .slice(0, 1)
      .map(({ network }) => `route add default via ${formatIpv4(network.gateway)}`),
  );
};
