import type { BoundAttachment, BoundNetwork, Ruleset } from "../model/index.js";
import type { Way } from "./kernel/visit.js";

/** A bridge and the ports that packets may come and go by. */
interface Switch {
  readonly bridge: string;
  readonly ports: readonly string[];
}

/** Where an authority's packets can come from and go to. */
export interface Surroundings {
  readonly own: readonly Switch[];
  /** Bridges that are none of the authority's. */
  readonly foreign: readonly Switch[];
  /** Interfaces that are no bridge. */
  readonly outside: readonly string[];
}

/** Two, since a frame may go from one unknown port to another. */
const STRANGERS = ["stranger0", "stranger1"] as const;

/** Interface names that a ruleset speaks of. */
const namesIn = (rulesets: readonly Ruleset[]): readonly string[] =>
  rulesets.flatMap(({ inet, bridge }) =>
    [inet, bridge].flatMap(({ chains }) =>
      chains.flatMap(({ rules }) =>
        rules.flatMap(({ matches }) =>
          matches.flatMap((match) => {
            switch (match.kind) {
              case "iifname":
              case "oifname":
              case "ibrname":
              case "obrname":
                return match.is;
              default:
                return [];
            }
          }),
        ),
      ),
    ),
  );

/**
 * Every interface that bound boundary or rulesets name, and one of each kind that nobody names. A
 * name that only the rules know may be anything, so it's tried as a port, a bridge, and neither.
 */
export const surroundingsOf = (
  networks: readonly BoundNetwork[],
  attachments: readonly BoundAttachment[],
  foreignBridges: readonly string[],
  rulesets: readonly Ruleset[],
): Surroundings => {
  const bridges = networks.map(({ bridge }) => bridge);
  const ports = attachments.flatMap(({ port }) => (port === null ? [] : [port]));
  const known = new Set([...bridges, ...ports, ...foreignBridges]);
  const unknown = [...new Set(namesIn(rulesets))].filter((name) => !known.has(name));
  const taken = new Set([...known, ...unknown]);
  const fresh = (name: string): string => (taken.has(name) ? fresh(`${name}x`) : name);
  const strangers = [...unknown, ...STRANGERS.map(fresh)];
  return {
    own: networks.map(({ bridge }) => ({
      bridge,
      ports: [
        ...attachments.flatMap((attachment) =>
          attachment.bridge === bridge && attachment.port !== null ? [attachment.port] : [],
        ),
        ...strangers,
      ],
    })),
    foreign: [...foreignBridges, ...unknown, fresh("foreign0")].map((bridge) => ({
      bridge,
      ports: strangers.filter((port) => port !== bridge),
    })),
    outside: [...unknown, fresh("outside0")],
  };
};

const NOWHERE: Way = {
  path: "routed",
  inPort: null,
  inBridge: null,
  inInterface: null,
  outPort: null,
  outBridge: null,
  outInterface: null,
};

type Origin = Pick<Way, "inPort" | "inBridge" | "inInterface">;
type Target = Pick<Way, "outPort" | "outBridge" | "outInterface">;

/** Every way through the kernel: two ports of a bridge, in and out, in, past prerouting, and out. */
export const waysThrough = ({ own, foreign, outside }: Surroundings): readonly Way[] => {
  const switches = [...own, ...foreign];
  const origins: readonly Origin[] = [
    ...switches.flatMap(({ bridge, ports }) =>
      ports.map((port) => ({ inPort: port, inBridge: bridge, inInterface: null })),
    ),
    ...outside.map((name) => ({ inPort: null, inBridge: null, inInterface: name })),
  ];
  const targets: readonly Target[] = [
    ...switches.flatMap(({ bridge, ports }) =>
      ports.map((port) => ({ outPort: port, outBridge: bridge, outInterface: null })),
    ),
    ...outside.map((name) => ({ outPort: null, outBridge: null, outInterface: name })),
  ];
  const bridged = switches.flatMap(({ bridge, ports }) =>
    ports.flatMap((inPort) =>
      ports
        .filter((outPort) => outPort !== inPort)
        .map(
          (outPort): Way => ({
            ...NOWHERE,
            path: "bridged",
            inPort,
            inBridge: bridge,
            outPort,
            outBridge: bridge,
          }),
        ),
    ),
  );
  return [
    ...bridged,
    ...origins.flatMap((origin) =>
      targets.map((target): Way => ({ ...NOWHERE, ...origin, ...target, path: "routed" })),
    ),
    ...origins.map((origin): Way => ({ ...NOWHERE, ...origin, path: "to-host" })),
    ...origins
      .filter(({ inPort }) => inPort !== null)
      .map((origin): Way => ({ ...NOWHERE, ...origin, path: "link-local" })),
    ...targets.map((target): Way => ({ ...NOWHERE, ...target, path: "from-host" })),
  ];
};
