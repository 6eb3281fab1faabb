import { compileFloor } from "../compile/index.js";
import type { Authority, BoundNetwork, ObservedTopology, Ruleset } from "../model/index.js";
import type { ApplianceAim, Expected } from "../realise/index.js";

/**
 * The floors of both authorities, over every network of the boundary's: those that were bound, and
 * those that are there now by name or label, since one that was made again may have another bridge,
 * which no rule knows.
 *
 * @param topology null when the engine doesn't answer
 */
export const floorsFor = (
  { wanted, desired, realisation }: ApplianceAim,
  held: Expected | null,
  topology: ObservedTopology | null,
): readonly Ruleset[] => {
  const bound = {
    scenario: held?.scenario.networks ?? [],
    platform: Object.values(held?.platform.networks ?? {}),
  };
  const isOf = (authority: Authority, address: string) =>
    address.startsWith("platform.") === (authority === "platform");
  const found = (authority: Authority): readonly BoundNetwork[] => {
    const own = desired.networks.filter(({ address }) => isOf(authority, address));
    return (topology?.networks ?? []).flatMap(({ name, labels, bridge, ipv4, gateway }) => {
      const network = own.find(
        ({ spec }) =>
          spec.name === name ||
          Object.entries(spec.labels).some(
            ([key, value]) => !SHARED_LABELS.test(key) && labels[key] === value,
          ),
      );
      if (network === undefined || bridge === null || ipv4 === null || gateway === null) return [];
      return [{ address: network.address, bridge, cidr: ipv4, gateway }];
    });
  };
  return (["platform", "scenario"] as const).map((authority) => {
    const networks = unique([...bound[authority], ...found(authority)]);
    const bridges = new Set(networks.map(({ bridge }) => bridge));
    const attached = [...(held?.scenario.attachments ?? []), ...(held?.platform.attachments ?? [])];
    const ports = attached
      .filter(({ bridge }) => bridges.has(bridge))
      .flatMap(({ port }) => port ?? []);
    return compileFloor(
      authority,
      { networks, ports: [...new Set([...ports, ...portsOn(networks, topology)])] },
      { owner: wanted.owner, realisation },
    );
  });
};

/** An owner's label is on all its networks, and doesn't say which one it is. */
const SHARED_LABELS = /^dev\.drydock\.(owner|spec)$/;

const unique = (networks: readonly BoundNetwork[]): readonly BoundNetwork[] => [
  ...new Map(networks.map((network) => [network.bridge, network])).values(),
];

const portsOn = (
  networks: readonly BoundNetwork[],
  topology: ObservedTopology | null,
): readonly string[] => {
  const bridges = new Set<string | null>(networks.map(({ bridge }) => bridge));
  const ids = new Set(
    (topology?.networks ?? []).filter(({ bridge }) => bridges.has(bridge)).map(({ id }) => id),
  );
  return (topology?.containers ?? []).flatMap(({ endpoints }) =>
    endpoints.filter(({ network }) => ids.has(network)).flatMap(({ port }) => port ?? []),
  );
};
