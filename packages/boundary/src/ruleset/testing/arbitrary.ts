import fc from "fast-check";
import type {
  Chain,
  Cidr,
  Dispatch,
  Effect,
  Family,
  Match,
  PortRange,
  Rule,
} from "../../model/index.js";

/** Chains of one family that the model can express, the matches that this kernel can't load aside. */
export const arbitraryChains = (
  family: Family,
  { native }: { readonly native: boolean },
): fc.Arbitrary<readonly Chain[]> =>
  fc
    .tuple(
      fc.array(arbitraryRules(family, native, ["to_a", "to_b"]), { minLength: 1, maxLength: 4 }),
      arbitraryRules(family, native, ["to_b"]),
      arbitraryRules(family, native, []),
      fc.array(arbitraryBase(family), { minLength: 4, maxLength: 4 }),
    )
    .map(([bases, a, b, hooks]) => {
      const chains: Chain[] = [
        ...bases.map((rules, index) => ({
          name: `base_${index}`,
          base: hooks[index] ?? null,
          rules,
        })),
        { name: "to_a", base: null, rules: a },
        { name: "to_b", base: null, rules: b },
      ];
      // Unique in the table, as identities have to be.
      return chains.map((chain) => ({
        ...chain,
        rules: chain.rules.map((rule, index) => ({
          ...rule,
          identity: `${rule.identity.slice(0, 100)}/${chain.name}/${index}`,
        })),
      }));
    });

const arbitraryBase = (family: Family): fc.Arbitrary<NonNullable<Chain["base"]>> =>
  fc.record({
    type: fc.constant("filter" as const),
    hook: fc.constantFrom(
      ...(["prerouting", "input", "forward", "output", "postrouting"] as const),
    ),
    // The kernel keeps bridge's and inet's own range; all of these are free in both.
    priority: fc.integer({ min: family === "bridge" ? -300 : -390, max: 300 }),
    policy: fc.constantFrom("accept" as const, "drop" as const),
  });

const arbitraryRules = (
  family: Family,
  native: boolean,
  targets: readonly string[],
): fc.Arbitrary<readonly Rule[]> =>
  fc.array(
    fc.record({
      identity: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 !#$%&'()*+,./:;<=>?@[\]^_`{|}~-]{0,40}$/),
      matches: arbitraryMatches(family, native),
      effect: arbitraryEffect(targets),
    }),
    { minLength: 20, maxLength: 60, size: "max" },
  );

const arbitraryEffect = (targets: readonly string[]): fc.Arbitrary<Effect> =>
  fc.oneof(
    fc.constantFrom<Effect>({ kind: "accept" }, { kind: "drop" }, { kind: "return" }),
    bits.map((value): Effect => ({ kind: "set-mark", bits: value })),
    ...(targets.length === 0
      ? []
      : [
          fc.constantFrom(...targets).map((chain): Effect => ({ kind: "jump", chain })),
          arbitraryDispatch(targets),
        ]),
  );

const arbitraryDispatch = (targets: readonly string[]): fc.Arbitrary<Dispatch> => {
  const to = <Key extends string | number>(key: fc.Arbitrary<Key>) =>
    fc.uniqueArray(fc.record({ is: key, chain: fc.constantFrom(...targets) }), {
      minLength: 1,
      maxLength: 8,
      selector: ({ is }) => is,
    });
  return fc.oneof(
    fc.record({
      kind: fc.constant("dispatch" as const),
      by: fc.constantFrom("iifname" as const, "oifname" as const),
      to: to(interfaceName),
    }),
    fc.record({
      kind: fc.constant("dispatch" as const),
      by: fc.constantFrom("ip-source" as const, "ip-destination" as const),
      to: to(cidr.map(({ base }) => base)),
    }),
  );
};

const bits = fc.integer({ min: 1, max: 0xffff_ffff });

const set = <V>(value: fc.Arbitrary<V>): fc.Arbitrary<readonly V[]> =>
  fc.oneof(fc.tuple(value), fc.array(value, { minLength: 1, maxLength: 6 }));

const interfaceName = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,14}$/);

const mac = fc
  .uint8Array({ minLength: 6, maxLength: 6 })
  .map((bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(":"));

/** Mostly near each other, so that blocks touch and overlap. */
const cidr: fc.Arbitrary<Cidr> = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 0x0a00_0000, max: 0x0a00_0010 }),
      fc.integer({ min: 0, max: 0xffff_ffff }),
      fc.constantFrom(0, 0xffff_ffff),
    ),
    fc.oneof(fc.constant(32), fc.integer({ min: 28, max: 32 }), fc.integer({ min: 0, max: 32 })),
  )
  .map(([address, prefix]) => ({ base: address - (address % 2 ** (32 - prefix)), prefix }));

const ports: fc.Arbitrary<PortRange> = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 65_535 })),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 65_535 })),
  )
  .map(([first, more]) => ({ first, last: Math.min(first + more, 65_535) }));

const names = (kind: "iifname" | "oifname" | "ibrname" | "obrname"): fc.Arbitrary<Match> =>
  fc.record({ kind: fc.constant(kind), is: set(interfaceName), not: fc.boolean() });

const macs = (kind: "ether-source" | "arp-sender-ether"): fc.Arbitrary<Match> =>
  fc.record({ kind: fc.constant(kind), is: set(mac), not: fc.boolean() });

const blocks = (kind: "ip-source" | "ip-destination" | "arp-sender-ip"): fc.Arbitrary<Match> =>
  fc.record({ kind: fc.constant(kind), is: set(cidr), not: fc.boolean() });

const mark: fc.Arbitrary<Match> = fc
  .record({
    mask: fc.oneof(fc.constantFrom(0x0040_0000, 0x0060_0000, 0xffff_ffff), bits),
    value: bits,
    not: fc.boolean(),
  })
  .map(({ mask, value, not }) => ({ kind: "mark", mask, value: (value & mask) >>> 0, not }));

const state: fc.Arbitrary<Match> = fc.record({
  kind: fc.constant("ct-state" as const),
  is: set(fc.constantFrom(...(["new", "established", "related", "invalid", "untracked"] as const))),
  not: fc.boolean(),
});

const l4proto: fc.Arbitrary<Match> = fc.record({
  kind: fc.constant("l4proto" as const),
  is: set(fc.constantFrom("tcp" as const, "udp" as const, "icmp" as const)),
  not: fc.boolean(),
});

const etherType: fc.Arbitrary<Match> = fc.record({
  kind: fc.constant("ether-type" as const),
  is: set(fc.constantFrom("ip" as const, "arp" as const, "ip6" as const)),
  not: fc.boolean(),
});

const nfproto: fc.Arbitrary<Match> = fc.record({
  kind: fc.constant("nfproto" as const),
  is: fc.constantFrom("ipv4" as const, "ipv6" as const),
});

const port: fc.Arbitrary<Match> = fc.record({
  kind: fc.constant("destination-port" as const),
  protocol: fc.constantFrom("tcp" as const, "udp" as const),
  is: set(ports),
});

/** Some of each, in any order; what contradicts itself is left to the caller to filter. */
const arbitraryMatches = (family: Family, native: boolean): fc.Arbitrary<readonly Match[]> => {
  const common = [
    ...[names("iifname"), names("oifname"), mark, mark, l4proto, port],
    ...[blocks("ip-source"), blocks("ip-destination")],
  ];
  const bridge = [
    ...[macs("ether-source"), etherType, macs("arp-sender-ether"), blocks("arp-sender-ip")],
    ...(native ? [names("ibrname"), names("obrname"), state] : []),
  ];
  const own = family === "bridge" ? bridge : [nfproto, state];
  return fc
    .shuffledSubarray([...common, ...own], { maxLength: 5 })
    .chain((chosen) => fc.tuple(...chosen));
};
