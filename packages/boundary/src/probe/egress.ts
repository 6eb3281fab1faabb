import type { EgressTrial } from "../gate/index.js";
import { type Boundary, type Place, placesOf } from "../meaning/index.js";
import {
  type BoundPlatform,
  type BoundScenario,
  type Cidr,
  contains,
  firstOf,
  type Ipv4,
  lastOf,
  SPECIAL_RANGES,
} from "../model/index.js";

/** What is tried of the way out, and what has to come of it. */
export interface EgressCell {
  readonly trial: EgressTrial;
  readonly source: Place;
  readonly attempt: EgressAttempt;
  readonly expected: "reachable" | "blocked";
}

/** An address that only the signed resolver knows is asked for first, from the egress anchor. */
export type Target = { readonly ipv4: Ipv4 } | { readonly addressOf: string };

export type EgressAttempt =
  /** CONNECT, at the broker. */
  | {
      readonly kind: "tunnel";
      readonly broker: { readonly ipv4: Ipv4; readonly port: number };
      readonly host: string;
      readonly port: number;
      /** The broker's reason; null where it has to let through. */
      readonly refusal: string | null;
    }
  | {
      readonly kind: "flow";
      readonly protocol: "tcp" | "udp";
      readonly to: Target;
      readonly port: number;
    }
  /** A question to a name server. */
  | { readonly kind: "lookup"; readonly at: Target; readonly name: string };

const DNS_PORT = 53;
const NTP_PORT = 123;

/** Whoever is bound, once: by the place of its default route. */
const sourcesOf = (boundary: Boundary): readonly Place[] => {
  const seen = new Set<string>();
  return placesOf(boundary).filter(({ holder }) => {
    if (seen.has(holder)) return false;
    seen.add(holder);
    return true;
  });
};

/**
 * Every signed authority by way of the broker, and whatever must not get out: through the broker an
 * unlisted name, an unsigned port and an address; from the egress anchor, past the broker, the
 * special ranges, an unsigned port, other protocols and other name servers; and from everybody else
 * the authority itself, directly, over TCP and UDP, time servers and the resolver.
 *
 * @returns none where nobody may reach the broker, or where the platform has no way out
 */
export const predictEgress = (boundary: {
  readonly scenario: BoundScenario;
  readonly platform: BoundPlatform;
}): readonly EgressCell[] => {
  const { platform } = boundary;
  const { egress } = platform;
  const [first] = egress?.authorities ?? [];
  const client = clientOf(boundary);
  if (egress === null || first === undefined || client === null) return [];
  const sources = sourcesOf(boundary);
  const anchor = placesOf(boundary).find(({ ipv4 }) => ipv4 === egress.ipv4);
  if (anchor === undefined) return [];
  const authority: Target = { addressOf: first.authority };
  const signed = new Set(egress.authorities.map(({ port }) => port));
  const unsigned = highestWithout(signed);
  const networks = [...boundary.scenario.networks, ...Object.values(platform.networks)];
  return [
    ...throughBroker(client, egress.authorities, unsigned),
    ...egress.resolvers.map((ipv4) => lookup(anchor, { ipv4 }, first.authority, "resolver")),
    ...sources.flatMap((source) =>
      source.holder === anchor.holder
        ? pastTheBroker(anchor, { authority, port: first.port, unsigned, networks })
        : past(source, { authority, port: first.port, resolvers: egress.resolvers }),
    ),
  ];
};

/** Whom a crossing lets speak to the egress anchor, and where that listens. */
const clientOf = (boundary: Boundary) => {
  const crossing = boundary.platform?.crossings.find(
    ({ destination, protocol }) => destination === "egress" && protocol === "tcp",
  );
  const [port] = crossing?.ports ?? [];
  const source = placesOf(boundary).find(({ ipv4 }) => ipv4 === crossing?.sourceIpv4);
  if (crossing === undefined || port === undefined || source === undefined) return null;
  return { source, broker: { ipv4: crossing.destinationIpv4, port } };
};

type Client = NonNullable<ReturnType<typeof clientOf>>;
type Signed = NonNullable<BoundPlatform["egress"]>["authorities"];

const throughBroker = (
  { source, broker }: Client,
  authorities: Signed,
  unsigned: number,
): readonly EgressCell[] => {
  const tunnel = (trial: EgressTrial, host: string, port: number, refusal: string | null) =>
    ({
      trial,
      source,
      attempt: { kind: "tunnel", broker, host, port, refusal },
      expected: refusal === null ? "reachable" : "blocked",
    }) as const;
  const [first] = authorities;
  if (first === undefined) return [];
  return [
    ...authorities.map(({ authority, port }) => tunnel("authority", authority, port, null)),
    tunnel(
      "unlisted-name",
      nameWithout(authorities, first.authority),
      first.port,
      "AUTHORITY_NOT_GRANTED",
    ),
    tunnel("unlisted-name", first.authority, unsigned, "PORT_NOT_GRANTED"),
    tunnel("denied-range", "10.0.0.1", first.port, "IP_LITERAL"),
  ];
};

/** From the egress anchor itself, which the firewall lets out for signed ports and resolvers alone. */
const pastTheBroker = (
  source: Place,
  {
    authority,
    port,
    unsigned,
    networks,
  }: {
    readonly authority: Target;
    readonly port: number;
    readonly unsigned: number;
    readonly networks: readonly { readonly cidr: Cidr }[];
  },
): readonly EgressCell[] => [
  ...ROUTABLE_RANGES.flatMap((range) => {
    const ipv4 = outsideOf(networks, range);
    return ipv4 === null ? [] : [flow("denied-range", source, "tcp", { ipv4 }, port)];
  }),
  flow("direct-tcp", source, "tcp", authority, unsigned),
  flow("direct-udp", source, "udp", authority, port),
  flow("direct-ntp", source, "udp", authority, NTP_PORT),
  lookup(source, authority, UNKNOWN_NAME, "direct-dns"),
];

/** From everybody else: nothing at all. */
const past = (
  source: Place,
  {
    authority,
    port,
    resolvers,
  }: { readonly authority: Target; readonly port: number; readonly resolvers: readonly Ipv4[] },
): readonly EgressCell[] => [
  flow("direct-tcp", source, "tcp", authority, port),
  ...resolvers.map((ipv4) => flow("direct-tcp", source, "tcp", { ipv4 }, DNS_PORT)),
  flow("direct-udp", source, "udp", authority, port),
  flow("direct-ntp", source, "udp", authority, NTP_PORT),
  lookup(source, authority, UNKNOWN_NAME, "direct-dns"),
  ...resolvers.map((ipv4) => lookup(source, { ipv4 }, UNKNOWN_NAME, "direct-dns")),
];

/** Whoever answers says that it doesn't exist (RFC 6761, 6.4), and has been reached. */
const UNKNOWN_NAME = "boundary-probe.invalid";

const flow = (
  trial: EgressTrial,
  source: Place,
  protocol: "tcp" | "udp",
  to: Target,
  port: number,
): EgressCell => ({
  trial,
  source,
  attempt: { kind: "flow", protocol, to, port },
  expected: "blocked",
});

const lookup = (
  source: Place,
  at: Target,
  name: string,
  trial: "resolver" | "direct-dns",
): EgressCell => ({
  trial,
  source,
  attempt: { kind: "lookup", at, name },
  expected: trial === "resolver" ? "reachable" : "blocked",
});

/** To 0/8, loopback, multicast and 240/4 no kernel routes anything: nothing there shows a rule. */
const UNROUTED: readonly number[] = [0, 127, 224, 240];

const ROUTABLE_RANGES = SPECIAL_RANGES.filter(({ base }) => !UNROUTED.includes(base / 2 ** 24));

/** The highest address of a range that is on no network of the boundary's, or null. */
const outsideOf = (networks: readonly { readonly cidr: Cidr }[], range: Cidr): Ipv4 | null => {
  // A range's last address may be a broadcast's; of a range of one it is the one.
  for (let at = lastOf(range) - (range.prefix === 32 ? 0 : 1); at >= firstOf(range); ) {
    const holder = networks.find(({ cidr }) => contains(cidr, at));
    if (holder === undefined) return at;
    at = firstOf(holder.cidr) - 1;
  }
  return null;
};

const HIGHEST_PORT = 65_535;

const highestWithout = (taken: ReadonlySet<number>): number => {
  let port = HIGHEST_PORT;
  while (taken.has(port)) port -= 1;
  return port;
};

/** A name that nobody signed, beside one that somebody did: the nearest that could pass by mistake. */
const nameWithout = (authorities: Signed, beside: string): string => {
  const signed = new Set(authorities.map(({ authority }) => authority));
  const domain = beside.split(".").slice(-2).join(".");
  let count = 0;
  while (signed.has(`unlisted${count}.${domain}`)) count += 1;
  return `unlisted${count}.${domain}`;
};
