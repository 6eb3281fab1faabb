import {
  type ObservedContainer,
  type ObservedEndpoint,
  type ObservedNetwork,
  type ObservedTopology,
  parseCidr,
  parseIpv4,
} from "../model/index.js";
import type { Link } from "./kernel/links.js";
import type { DeploymentBackend, EngineContainer, EngineEndpoint, EngineNetwork } from "./port.js";

/** What the kernel shows, beside the engine's word. */
export interface KernelView {
  bootId(): Promise<string>;
  /** Interfaces of the appliance's own namespace: its bridges and their ports. */
  links(): Promise<readonly Link[]>;
  /** Interfaces inside of a container; null when the process is gone. */
  linksOf(pid: number): Promise<readonly Link[] | null>;
}

/**
 * Networks and containers as the engine names them, and interfaces as the kernel shows them. An
 * endpoint has a port only where both say the same: a container that gave itself another address
 * or MAC, or can't be followed to a port, is bound to nothing, and so nothing of it passes.
 *
 * @throws DrydockError ENGINE_…, IP_ANSWER
 */
export const observeTopology = async (
  backend: DeploymentBackend,
  kernel: KernelView,
): Promise<ObservedTopology> => (await observe(backend, kernel)).topology;

export interface Observation {
  readonly topology: ObservedTopology;
  /** What it was made of. */
  readonly networks: readonly EngineNetwork[];
  readonly containers: readonly EngineContainer[];
  readonly links: readonly Link[];
}

/** `observeTopology`, and what it was made of, each asked for once. */
export const observe = async (
  backend: DeploymentBackend,
  kernel: KernelView,
): Promise<Observation> => {
  const [{ daemonId }, bootId, networks, containers] = await Promise.all([
    backend.identity(),
    kernel.bootId(),
    backend.networks(),
    backend.containers(),
  ]);
  // After the containers: what is inside of one that runs has its other end here by then.
  const links = await kernel.links();
  const observed = await Promise.all(
    containers.map(async (container) => {
      const inside = container.pid === null ? null : await kernel.linksOf(container.pid);
      return containerSeen(container, networks, links, inside ?? []);
    }),
  );
  return {
    topology: { bootId, daemonId, networks: networks.map(networkSeen), containers: observed },
    networks,
    containers,
    links,
  };
};

const networkSeen = (network: EngineNetwork): ObservedNetwork => {
  const v4 = network.subnets.filter(({ subnet }) => parseCidr(subnet) !== null);
  const [only] = v4;
  const exact = v4.length === 1 && only !== undefined;
  return {
    id: network.id,
    name: network.name,
    driver: network.driver,
    bridge: network.bridge,
    ipv4: exact ? parseCidr(only.subnet) : null,
    gateway: exact ? parseIpv4(only.gateway ?? "") : null,
    hasIpv6: network.ipv6 || network.subnets.length > v4.length,
    labels: network.labels,
  };
};

const containerSeen = (
  container: EngineContainer,
  networks: readonly EngineNetwork[],
  links: readonly Link[],
  inside: readonly Link[],
): ObservedContainer => {
  const endpoints = container.endpoints.map((endpoint) => {
    const network =
      networks.find(({ id }) => id === endpoint.network) ??
      networks.find(({ name }) => name === endpoint.network);
    const named = { ...endpoint, network: network?.id ?? endpoint.network };
    return endpointSeen(named, network?.bridge ?? null, links, inside);
  });
  const known = new Set(endpoints.map(({ network }) => network));
  const unnamed = container.authority.hostNetwork ? [] : unnamedPlaces(networks, links, inside);
  return {
    id: container.id,
    name: container.name,
    labels: container.labels,
    image: container.image,
    running: container.running,
    endpoints: [...endpoints, ...unnamed.filter(({ network }) => !known.has(network))],
    publications: container.publications,
  };
};

/**
 * Where the kernel shows a container, whether the engine says so or not. It doesn't of one that shares
 * another's namespace (`--network container:`), nor of an interface that somebody put into one: that
 * leads to the network whose bridge has its other end, or else to one of its own name.
 */
const unnamedPlaces = (
  networks: readonly EngineNetwork[],
  links: readonly Link[],
  inside: readonly Link[],
): readonly ObservedEndpoint[] =>
  inside
    .filter(({ carries }) => carries)
    .map((own) => {
      const port = links.find((link) => isPair(own, link));
      const network = networks.find(
        ({ bridge }) => bridge !== null && bridge === (port?.bridge ?? null),
      );
      const [ipv4 = null] = own.ipv4;
      const { name, mac, hasIpv6 } = own;
      return { network: network?.id ?? name, ipv4, hasIpv6, mac, port: null };
    });

/** Both ends of the pair name each other's index: one end alone could be of another namespace. */
const isPair = (own: Link, port: Link): boolean =>
  port.index === own.peer && port.peer === own.index;

const endpointSeen = (
  endpoint: EngineEndpoint,
  bridge: string | null,
  links: readonly Link[],
  inside: readonly Link[],
): ObservedEndpoint => {
  const ipv4 = endpoint.ipv4 === null ? null : parseIpv4(endpoint.ipv4);
  const mac = endpoint.mac?.toLowerCase() ?? null;
  const ports = links.filter((link) => bridge !== null && link.bridge === bridge);
  const pairs = inside.flatMap((own) =>
    ports.filter((port) => isPair(own, port)).map((port) => ({ own, port })),
  );
  const [pair] = pairs.length === 1 ? pairs : [];
  const agreed =
    pair !== undefined &&
    pair.own.mac === mac &&
    pair.own.ipv4.length === 1 &&
    pair.own.ipv4[0] === ipv4;
  return {
    network: endpoint.network,
    ipv4,
    hasIpv6: endpoint.ipv6 !== null || (pair?.own.hasIpv6 ?? false),
    mac,
    port: agreed ? pair.port.name : null,
  };
};
