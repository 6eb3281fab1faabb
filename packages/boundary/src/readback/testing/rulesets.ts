import type { Chain, Match, Rule, Ruleset } from "../../model/index.js";
import { sealRuleset } from "../../ruleset/index.js";

/** Two small rulesets that have every kind of thing in them that a readback compares. */
export const OWNER = "test:readback";

const rule = (identity: string, matches: readonly Match[], effect: Rule["effect"]): Rule => ({
  identity,
  matches,
  effect,
});

const base = (
  hook: NonNullable<Chain["base"]>["hook"],
  priority: number,
): NonNullable<Chain["base"]> => ({ type: "filter", hook, priority, policy: "accept" });

const iifname = (...is: readonly string[]): Match => ({ kind: "iifname", is, not: false });
const marked = (bit: number): Match => ({ kind: "mark", mask: bit, value: bit, not: false });
const unmarked = (bit: number): Match => ({ kind: "mark", mask: bit, value: 0, not: false });
const address = (base: number): Match => ({
  kind: "ip-source",
  is: [{ base, prefix: 32 }],
  not: false,
});
const tcp = (...ports: readonly number[]): Match => ({
  kind: "destination-port",
  protocol: "tcp",
  is: ports.map((port) => ({ first: port, last: port })),
});

const WEB = 0x0a3c_010a;

export const SCENARIO: Ruleset = sealRuleset({
  owner: OWNER,
  authority: "scenario",
  realisation: "br_netfilter",
  inet: [
    {
      name: "forward",
      base: base("forward", -200),
      rules: [
        rule("unbound", [iifname("br-one"), unmarked(0x0040_0000)], { kind: "drop" }),
        rule("invalid", [{ kind: "ct-state", is: ["invalid"], not: false }], { kind: "drop" }),
        rule("reply", [{ kind: "ct-state", is: ["established", "related"], not: false }], {
          kind: "accept",
        }),
        rule("web/in", [address(WEB)], { kind: "jump", chain: "web_in" }),
        rule("default", [iifname("br-one")], { kind: "drop" }),
      ],
    },
    {
      name: "web_in",
      base: null,
      rules: [
        rule("web/https", [tcp(443, 8443)], { kind: "return" }),
        rule("web/ping", [{ kind: "l4proto", is: ["icmp"], not: false }], { kind: "return" }),
        rule("web/rest", [], { kind: "drop" }),
      ],
    },
    {
      name: "output",
      base: base("output", -200),
      rules: [rule("host", [{ kind: "oifname", is: ["br-one"], not: false }], { kind: "drop" })],
    },
  ],
  bridge: [
    {
      name: "prerouting",
      base: base("prerouting", -200),
      rules: [
        rule("port", [], {
          kind: "dispatch",
          by: "iifname",
          to: [
            { is: "veth1", chain: "port_web" },
            { is: "veth2", chain: "port_mail" },
          ],
        }),
      ],
    },
    { name: "port_mail", base: null, rules: [rule("port/mail/rest", [], { kind: "drop" })] },
    {
      name: "port_web",
      base: null,
      rules: [
        rule(
          "port/web/ipv4",
          [{ kind: "ether-source", is: ["02:42:0a:3c:01:0a"], not: false }, address(WEB)],
          { kind: "set-mark", bits: 0x0040_0000 },
        ),
        rule("port/web/rest", [unmarked(0x0040_0000)], { kind: "drop" }),
      ],
    },
  ],
});

export const PLATFORM: Ruleset = sealRuleset({
  owner: OWNER,
  authority: "platform",
  realisation: "br_netfilter",
  inet: [
    {
      name: "forward",
      base: base("forward", -300),
      rules: [
        rule("crossing", [iifname("br-mgmt"), marked(0x0080_0000), tcp(3128)], { kind: "accept" }),
        rule("platform/default", [iifname("br-mgmt", "br-egress")], { kind: "drop" }),
      ],
    },
  ],
  bridge: [],
});
