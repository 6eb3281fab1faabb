import type { AclRule, BoundScenario, Chain, Match, PlanAddress, Rule } from "../model/index.js";
import type { Direction } from "./direction.js";
import * as match from "./match.js";
import { chainName, identityOf } from "./names.js";
import { ACCEPT, DROP, jump, RETURN, regularChain, rule } from "./rule.js";
import type { Territory } from "./territory.js";

type Side = "in" | "out";

/** One owner's rules about one side, in authored order. At least one. */
export interface OwnerSide {
  readonly owner: PlanAddress;
  readonly ownerType: AclRule["ownerType"];
  readonly side: Side;
  readonly rules: readonly AclRule[];
}

/** A side without a rule isn't ruled: there the owner has no word, not even the plan's default. */
export const ownerSides = ({ rules }: BoundScenario): readonly OwnerSide[] => {
  const owners = [...new Set(rules.map(({ owner }) => owner))].sort();
  return owners.flatMap((owner) =>
    (["in", "out"] as const).flatMap((side) => {
      const own = rules
        .filter((each) => each.owner === owner)
        .filter(({ direction }) => direction === side || direction === "inout")
        .sort((a, b) => a.order - b.order);
      const [first] = own;
      return first === undefined ? [] : [{ owner, ownerType: first.ownerType, side, rules: own }];
    }),
  );
};

/**
 * An owner's word about one side: the first of its rules that matches. Allow is a return, so that
 * the next owner is asked as well: a flow passes if nobody drops it.
 */
export const ownerChain = (
  { owner, side, rules }: OwnerSide,
  scenario: BoundScenario,
  direction: Direction,
): Chain =>
  regularChain(chainOf({ owner, side }), [
    ...rules.map((authored) =>
      rule(
        authoredIdentity(authored, side),
        matchesOf(authored, scenario, direction),
        authored.action === "allow" ? RETURN : DROP,
      ),
    ),
    scenario.default === "deny" ? rule(identityOf(owner, side, "default"), [], DROP) : [],
  ]);

/** Stable: an authored name is unique within its owner. The slash ends it, names have none. */
export const authoredIdentity = ({ owner, name }: AclRule, side: Side): string =>
  identityOf(owner, "rule", name, side);

const matchesOf = (
  { from, to, protocol, ports }: AclRule,
  { networks }: BoundScenario,
  { cameBy, leavesBy }: Direction,
): readonly Match[] => {
  const bridgesOf = (network: PlanAddress): readonly string[] =>
    networks.filter(({ address }) => address === network).map(({ bridge }) => bridge);
  return [
    ...(from === null ? [] : [cameBy(...bridgesOf(from))]),
    ...(to === null ? [] : [leavesBy(...bridgesOf(to))]),
    ...protocolOf(protocol, ports),
  ];
};

const protocolOf = (protocol: AclRule["protocol"], ports: readonly number[]): readonly Match[] => {
  if (protocol === "any") return [];
  if (protocol === "icmp" || ports.length === 0) return [match.l4proto(protocol)];
  return [match.destinationPort(protocol, ports)];
};

/**
 * Every owner that covers a flow is asked, wherever in the order it stands: on each side the network,
 * and the node, which is looked up by its address there.
 */
export const dispatch = (
  sides: readonly OwnerSide[],
  { networks, attachments }: Territory,
  direction: Direction,
): readonly (readonly Rule[])[] => {
  const ruled = new Map(sides.map((each) => [chainOf(each), each]));
  return (["in", "out"] as const).flatMap((side) => {
    const { via, by } = endOf(side, direction);
    return networks.flatMap(({ address: network, bridge }) => {
      const ofNetwork = chainOf({ owner: network, side });
      const to = attachments
        .filter((attached) => attached.network === network)
        .map(({ ipv4, holder }) => ({ is: ipv4, chain: chainOf({ owner: holder, side }) }))
        .filter(({ chain }) => ruled.get(chain)?.ownerType === "node");
      return [
        ruled.get(ofNetwork)?.ownerType === "network"
          ? rule(identityOf("forward/network-asked", side, network), [via(bridge)], jump(ofNetwork))
          : [],
        rule(identityOf("forward/node-asked", side, network), [via(bridge)], {
          kind: "dispatch",
          by,
          to,
        }),
      ];
    });
  });
};

/**
 * Under default deny a flow passes only if somebody spoke for it. Whoever had denied it would have
 * dropped it in a chain of its own, so that being covered is enough here.
 */
export const spokenFor = (
  sides: readonly OwnerSide[],
  territory: Territory,
  scenario: BoundScenario,
  direction: Direction,
): readonly (readonly Rule[])[] => {
  if (scenario.default === "allow") return [rule("forward/default", [], ACCEPT)];
  const covered = (["in", "out"] as const).flatMap((side) => {
    const owners = sides.filter((ruled) => ruled.side === side).map(({ owner }) => owner);
    const { via, address } = endOf(side, direction);
    const whole = territory.networks.filter((network) => owners.includes(network.address));
    const parts = territory.networks.map(({ address: network, bridge }) => {
      const held = territory.attachments.filter((attached) => attached.network === network);
      const blocks = held
        .filter(({ holder }) => owners.includes(holder))
        .map(({ ipv4 }) => match.host(ipv4));
      return rule(
        identityOf("forward/spoken-for", side, network),
        [via(bridge), address(...blocks)],
        ACCEPT,
      );
    });
    return [
      rule(
        identityOf("forward/spoken-for", side),
        [via(...whole.map(({ bridge }) => bridge))],
        ACCEPT,
      ),
      ...parts,
    ];
  });
  return [...covered, rule("forward/default", [], DROP)];
};

const endOf = (side: Side, { cameBy, leavesBy }: Direction) =>
  side === "in"
    ? { via: leavesBy, address: match.ipDestination, by: "ip-destination" as const }
    : { via: cameBy, address: match.ipSource, by: "ip-source" as const };

const chainOf = ({ owner, side }: Pick<OwnerSide, "owner" | "side">): string =>
  `${chainName("owner", owner)}_${side}`;
