import {
  type BoundPlatform,
  type Chain,
  type Match,
  type Rule,
  SPECIAL_RANGES,
} from "../model/index.js";
import { type Context, MARK_BIT } from "./context.js";
import * as match from "./match.js";
import { identityOf } from "./names.js";
import { ACCEPT, DROP, jump, regularChain, rule } from "./rule.js";
import type { Territory } from "./territory.js";

type Egress = NonNullable<BoundPlatform["egress"]>;

const DNS_PORT = 53;

/** After every filter, and just before the engine's own masquerading at 100. */
const MASQUERADE_PRIORITY = 99;

const CHAIN = "egress";

/**
 * Where the egress anchor goes outside. Every packet outwards matches by itself, so that no state
 * of an earlier ruleset's carries one past the special-purpose ranges.
 */
export const egressChain = ({ authorities, resolvers }: Egress): Chain => {
  const signed = resolvers.map(match.host);
  return regularChain(CHAIN, [
    ...(["udp", "tcp"] as const).map((protocol) =>
      rule(
        identityOf("egress", "resolver", protocol),
        [match.ipDestination(...signed), match.destinationPort(protocol, [DNS_PORT])],
        ACCEPT,
      ),
    ),
    rule("egress/special-purpose", [match.ipDestination(...SPECIAL_RANGES)], DROP),
    rule(
      EGRESS_AUTHORITIES,
      [
        match.destinationPort(
          "tcp",
          authorities.map(({ port }) => port),
        ),
      ],
      ACCEPT,
    ),
    rule("egress/anything-else", [], DROP),
  ]);
};

export const EGRESS_AUTHORITIES = "egress/authorities";

/** What comes from outside, which is only what the egress anchor asked for. */
export const inwards = (
  { bridges }: Territory,
  egress: Egress | null,
  bridge: string,
): readonly (readonly Rule[])[] => {
  const toAnchor = (ipv4: number): readonly Match[] => [
    match.notIifname(...bridges),
    match.oifname(bridge),
    match.ipDestination(match.host(ipv4)),
  ];
  return [
    ...(egress === null
      ? []
      : [
          rule("egress/reply", [...toAnchor(egress.ipv4), match.ctState("established")], ACCEPT),
          rule(
            "egress/error",
            [...toAnchor(egress.ipv4), match.ctState("related"), match.l4proto("icmp")],
            ACCEPT,
          ),
        ]),
    rule("forward/inwards", [match.notIifname(...bridges)], DROP),
  ];
};

export const outwards = (
  { bridges }: Territory,
  egress: Egress | null,
  bridge: string,
): readonly (readonly Rule[])[] => [
  ...(egress === null
    ? []
    : [
        rule(
          "egress",
          [
            match.notOifname(...bridges),
            match.iifname(bridge),
            match.ipSource(match.host(egress.ipv4)),
          ],
          jump(CHAIN),
        ),
      ]),
  rule("forward/outwards", [match.notOifname(...bridges)], DROP),
];

/**
 * The engine of an appliance runs without rules of its own, so what leaves it gets the appliance's
 * address here; where the engine's rules are on, they find it done.
 */
export const masquerade = (context: Context, { bridges }: Territory, egress: Egress): Chain => ({
  name: "egress_masquerade",
  base: { type: "nat", hook: "postrouting", priority: MASQUERADE_PRIORITY, policy: "accept" },
  rules: rule(
    "egress/masquerade",
    [
      match.notOifname(...bridges),
      match.ipSource(match.host(egress.ipv4)),
      match.marked(MARK_BIT[context.authority]),
    ],
    { kind: "masquerade" },
  ),
});
