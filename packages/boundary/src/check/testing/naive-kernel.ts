import {
  type Chain,
  type Cidr,
  contains,
  type Dispatch,
  type Hook,
  type Match,
  type Packet,
  type Ruleset,
  type Table,
} from "../../model/index.js";

interface Passage {
  readonly table: Table;
  readonly hook: Hook;
  readonly iif: string | null;
  readonly oif: string | null;
}

/** Which hooks a packet passes, written down path by path. */
const passagesOf = ({ inet, bridge, realisation }: Ruleset, packet: Packet): readonly Passage[] => {
  const isIp = packet.etherType === "ip" || packet.etherType === "ip6";
  const { inPort, outPort, inBridge, outBridge } = packet;
  const iif = packet.inBridge ?? packet.inInterface;
  const oif = packet.outBridge ?? packet.outInterface;
  const on = (table: Table, hook: Hook, from: string | null, to: string | null): Passage[] =>
    (table.family === "inet" && !isIp) ||
    (table.family === "bridge" && (from ?? to) === null) ||
    (table.family === "bridge" && hook !== "forward" && (from === null) === (to === null))
      ? []
      : [{ table, hook, iif: from, oif: to }];
  switch (packet.path) {
    case "bridged":
      return realisation === "native"
        ? [
            ...on(bridge, "prerouting", inPort, null),
            ...on(bridge, "forward", inPort, outPort),
            ...on(bridge, "postrouting", null, outPort),
          ]
        : [
            ...on(bridge, "prerouting", inPort, null),
            ...on(inet, "prerouting", inBridge, null),
            ...on(bridge, "forward", inPort, outPort),
            ...on(inet, "forward", inBridge, outBridge),
            ...on(bridge, "postrouting", null, outPort),
            ...on(inet, "postrouting", null, outBridge),
          ];
    case "routed":
      return [
        ...on(bridge, "prerouting", inPort, null),
        ...on(bridge, "input", inPort, null),
        ...on(inet, "prerouting", iif, null),
        ...on(inet, "forward", iif, oif),
        ...on(inet, "postrouting", iif, oif),
        ...on(bridge, "output", null, outPort),
        ...on(bridge, "postrouting", null, outPort),
      ];
    case "to-host":
      return [
        ...on(bridge, "prerouting", inPort, null),
        ...on(bridge, "input", inPort, null),
        ...on(inet, "prerouting", iif, null),
        ...on(inet, "input", iif, null),
      ];
    case "link-local":
      return [
        ...on(bridge, "input", inPort, null),
        ...on(inet, "prerouting", inPort, null),
        ...on(inet, "input", inPort, null),
      ];
    case "from-host":
      return [
        ...on(inet, "output", null, oif),
        ...on(inet, "postrouting", null, oif),
        ...on(bridge, "output", null, outPort),
        ...on(bridge, "postrouting", null, outPort),
      ];
  }
};

/** What a ruleset does with one packet, rule by rule, as slowly as it reads. */
export const naiveVerdict = (
  ruleset: Ruleset,
  packet: Packet,
): "accept" | "drop" | "masquerade" => {
  let mark = 0;
  let masqueraded = false;

  const matches = (match: Match, passage: Passage, chain: NonNullable<Chain["base"]>): boolean => {
    const isIp = packet.etherType === "ip";
    const isIpAny = isIp || packet.etherType === "ip6";
    const isArp = packet.etherType === "arp";
    const among = (is: readonly string[], value: string, not: boolean) =>
      is.includes(value) !== not;
    const inside = (is: readonly Cidr[], value: number, not: boolean) =>
      is.some((block) => contains(block, value)) !== not;
    switch (match.kind) {
      case "iifname":
        return among(match.is, passage.iif ?? "", match.not);
      case "oifname":
        return among(match.is, passage.oif ?? "", match.not);
      case "ibrname":
        return among(match.is, (passage.iif && packet.inBridge) ?? "", match.not);
      case "obrname":
        return among(match.is, (passage.oif && packet.outBridge) ?? "", match.not);
      case "ether-source":
        return passage.iif !== null && among(match.is, packet.sourceMac, match.not);
      case "ether-type":
        return among(match.is, packet.etherType, match.not);
      case "arp-sender-ip":
        return isArp && inside(match.is, packet.source, match.not);
      case "arp-sender-ether":
        return isArp && among(match.is, packet.arpMac, match.not);
      case "nfproto":
        return passage.table.family === "inet" && (match.is === "ipv4") === isIp;
      case "ip-source":
        return isIp && inside(match.is, packet.source, match.not);
      case "ip-destination":
        return isIp && inside(match.is, packet.destination, match.not);
      case "l4proto":
        return isIpAny && among(match.is, packet.protocol, match.not);
      case "destination-port":
        return (
          isIpAny &&
          packet.protocol === match.protocol &&
          match.is.some(({ first, last }) => first <= packet.port && packet.port <= last)
        );
      case "ct-state": {
        const early = chain.hook === "prerouting" || chain.hook === "output";
        const seen = isIpAny && !(early && chain.priority <= -200);
        return among(match.is, seen ? packet.state : "invalid", match.not);
      }
      case "mark":
        return ((mark & match.mask) === match.value) !== match.not;
    }
  };

  const lookedUp = (by: Dispatch["by"], { iif, oif }: Passage): string | number | null => {
    if (by === "iifname") return iif;
    if (by === "oifname") return oif;
    if (packet.etherType !== "ip") return null;
    return by === "ip-source" ? packet.source : packet.destination;
  };

  const evaluate = (
    chain: Chain,
    passage: Passage,
    base: NonNullable<Chain["base"]>,
  ): "accept" | "drop" | "return" => {
    for (const { matches: all, effect } of chain.rules) {
      if (!all.every((match) => matches(match, passage, base))) continue;
      if (effect.kind === "set-mark") mark |= effect.bits;
      else if (effect.kind === "jump") {
        const target = passage.table.chains.find(({ name }) => name === effect.chain);
        if (target === undefined) throw new Error(`no chain ${effect.chain}`);
        const verdict = evaluate(target, passage, base);
        if (verdict !== "return") return verdict;
      } else if (effect.kind === "dispatch") {
        const found = effect.to.find(({ is }) => is === lookedUp(effect.by, passage));
        const target = passage.table.chains.find(({ name }) => name === found?.chain);
        if (found !== undefined && target === undefined) throw new Error(`no ${found.chain}`);
        const verdict = target === undefined ? "return" : evaluate(target, passage, base);
        if (verdict !== "return") return verdict;
      } else if (effect.kind === "masquerade") {
        masqueraded = true;
        return "accept";
      } else return effect.kind;
    }
    return "return";
  };

  for (const passage of passagesOf(ruleset, packet)) {
    const chains = passage.table.chains
      .filter(({ base }) => base?.hook === passage.hook)
      .sort((one, other) => (one.base?.priority ?? 0) - (other.base?.priority ?? 0));
    for (const chain of chains) {
      if (chain.base === null) continue;
      if (chain.base.type === "nat" && packet.state !== "new") continue;
      const verdict = evaluate(chain, passage, chain.base);
      if ((verdict === "return" ? chain.base.policy : verdict) === "drop") return "drop";
    }
  }
  return masqueraded ? "masquerade" : "accept";
};
