import type { BoundCrossing, BoundPlatform, Match, Rule } from "../model/index.js";
import type { Direction } from "./direction.js";
import * as match from "./match.js";
import { identityOf } from "./names.js";
import { ACCEPT, rule } from "./rule.js";

/**
 * A crossing between its two exact addresses, on the one network that both are on. Replies and
 * ICMP errors pass between the same two, so that nobody else's claim about the flow is heard.
 */
export const crossings = (
  { crossings: all, networks }: BoundPlatform,
  { cameBy, leavesBy }: Direction,
): readonly (readonly Rule[])[] =>
  all.flatMap((crossing) => {
    const identity = crossingIdentity(crossing);
    const bridges = Object.values(networks)
      .filter(({ address }) => address === crossing.network)
      .map(({ bridge }) => bridge);
    const source = match.host(crossing.sourceIpv4);
    const destination = match.host(crossing.destinationIpv4);
    const within: readonly Match[] = [cameBy(...bridges), leavesBy(...bridges)];
    const there = [...within, match.ipSource(source), match.ipDestination(destination)];
    const back = [...within, match.ipSource(destination), match.ipDestination(source)];
    const error = [match.ctState("related"), match.l4proto("icmp")];
    return [
      rule(identity, [...there, match.destinationPort(crossing.protocol, crossing.ports)], ACCEPT),
      rule(
        identityOf(identity, "reply"),
        [...back, match.ctState("established"), match.l4proto(crossing.protocol)],
        ACCEPT,
      ),
      rule(identityOf(identity, "error-there"), [...there, ...error], ACCEPT),
      rule(identityOf(identity, "error-back"), [...back, ...error], ACCEPT),
    ];
  });

/** By what makes a crossing unique in a policy, and its purpose for whoever reads it. */
export const crossingIdentity = (crossing: BoundCrossing): string =>
  identityOf(
    "crossing",
    `${crossing.source}-${crossing.destination}`,
    crossing.purpose,
    crossing.protocol,
    crossing.ports.join(","),
  );
