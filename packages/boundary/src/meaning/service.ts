import type { Protocol } from "../model/index.js";
import type { Boundary } from "./packet.js";
import type { Place } from "./place.js";
import { type Service, voicesAmong } from "./scenario.js";

/** What a probe can try. */
export interface Probe extends Service {
  readonly protocol: Protocol;
}

/** Above what services use, below what kernels give out by themselves. */
const FIRST_UNNAMED = 30_001;

const unnamed = (named: ReadonlySet<number>): number => {
  let port = FIRST_UNNAMED;
  while (named.has(port)) port += 1;
  return port;
};

/** One port of each set that the rules tell apart, and one that none names. */
const representatives = (sets: readonly (readonly number[])[]): readonly number[] => {
  const named = new Set(sets.flat());
  const bySignature = new Map<string, number>();
  for (const port of [...named].sort((one, other) => one - other)) {
    const signature = sets.map((set) => (set.includes(port) ? "1" : "0")).join("");
    if (!bySignature.has(signature)) bySignature.set(signature, port);
  }
  return [...bySignature.values(), unnamed(named)];
};

/** The services to try between two places: inside and outside of every class of ports. */
export const servicesBetween = ({
  scenario,
  platform,
}: Boundary): ((source: Place, destination: Place) => readonly Probe[]) => {
  const voices = voicesAmong(scenario?.rules ?? []);
  const portsOf = (protocol: "tcp" | "udp", source: Place, destination: Place) => {
    if (source.authority !== destination.authority) return [];
    if (source.authority === "platform") {
      return (platform?.crossings ?? [])
        .filter((crossing) => crossing.protocol === protocol)
        .map(({ ports }) => ports);
    }
    return voices(source, destination).flatMap(({ rules }) =>
      rules.filter((rule) => rule.protocol === protocol).map(({ ports }) => ports),
    );
  };
  return (source, destination) => [
    ...(["tcp", "udp"] as const).flatMap((protocol) =>
      representatives(portsOf(protocol, source, destination)).map((port) => ({ protocol, port })),
    ),
    { protocol: "icmp", port: null },
  ];
};
