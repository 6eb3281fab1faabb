import { isDrydockError } from "@drydock/evidence";
import type { Chain, Realisation, Ruleset } from "../model/index.js";
import { compareRulesets } from "../readback/index.js";
import { printTables, sealRuleset } from "../ruleset/index.js";
import { inside } from "./inside.js";
import { listAll } from "./list.js";
import type { NetworkNamespace } from "./namespace.js";
import { withScratchNetwork } from "./scratch.js";
import { readSettings } from "./settings.js";

export type ProbedRealisation =
  | { readonly kind: Realisation }
  /** Neither works, and what the kernel said to each. */
  | { readonly kind: "refuses"; readonly why: string };

/**
 * Which realisation the kernel can do, found by loading rules of each and reading them back, in a
 * namespace of their own: what is loaded is what the rules need, and `nft -c` would leave no
 * listing to compare. The appliance's own namespace is asked only for br_netfilter's sysctl.
 *
 * @throws DrydockError NFT_MISSING, UNSHARE_MISSING, TOOL_…
 */
export const probeRealisation = async (namespace: NetworkNamespace): Promise<ProbedRealisation> => {
  const native = await load("native", namespace.toolDirectories);
  if (native === null) return { kind: "native" };
  const stateless = await load("br_netfilter", namespace.toolDirectories);
  if (stateless !== null) return refuses(native, stateless);
  const sysctl = "net/bridge/bridge-nf-call-iptables";
  const settings = await readSettings(namespace, [sysctl]);
  return settings.get(sysctl) === null
    ? refuses(native, "there is no sysctl net.bridge.bridge-nf-call-iptables")
    : { kind: "br_netfilter" };
};

const refuses = (native: string, stateless: string): ProbedRealisation => ({
  kind: "refuses",
  why: `native: ${native}; br_netfilter: ${stateless}. To load the latter: modprobe br_netfilter`,
});

/** null when the kernel took it and lists it as it was written; else what went wrong. */
const load = async (
  realisation: Realisation,
  directories: readonly string[],
): Promise<string | null> =>
  withScratchNetwork(async (scratch) => {
    const ruleset = probeRuleset(realisation);
    try {
      await inside(scratch, "nft", ["-f", "-"], { input: printTables(ruleset) });
    } catch (error) {
      if (isDrydockError(error) && error.code === "TOOL_FAILED") return error.message;
      throw error;
    }
    const [difference] = compareRulesets([ruleset], await listAll(scratch));
    return difference === undefined ? null : `${difference.kind} of rule ${difference.rule}`;
  }, directories);

/** One rule of each kind that a realisation's compiled rules have. */
export const probeRuleset = (realisation: Realisation): Ruleset =>
  sealRuleset({
    owner: "drydock:probe",
    authority: "scenario",
    realisation,
    inet: [probeChain(STATEFUL)],
    bridge: [probeChain([...STATELESS, ...(realisation === "native" ? NATIVE : [])])],
  });

const probeChain = (
  matches: readonly (readonly Chain["rules"][number]["matches"][number][])[],
): Chain => ({
  name: "forward",
  base: { type: "filter", hook: "forward", priority: -200, policy: "accept" },
  rules: matches.map((each, index) => ({
    identity: `probe/${index}`,
    matches: each,
    effect: { kind: "set-mark", bits: 0x0040_0000 },
  })),
});

const ADDRESS = { base: 0xc000_0201, prefix: 32 };
const MAC = "02:00:00:00:00:01";

const STATEFUL = [
  [{ kind: "ct-state", is: ["established", "related"], not: false }],
  [
    { kind: "iifname", is: ["probe"], not: false },
    { kind: "ip-source", is: [ADDRESS], not: false },
    { kind: "destination-port", protocol: "tcp", is: [{ first: 443, last: 443 }] },
  ],
] as const;

const STATELESS = [
  [
    { kind: "iifname", is: ["probe"], not: false },
    { kind: "ether-source", is: [MAC], not: false },
    { kind: "arp-sender-ether", is: [MAC], not: false },
    { kind: "arp-sender-ip", is: [ADDRESS], not: false },
  ],
  [{ kind: "mark", mask: 0x0040_0000, value: 0, not: false }],
] as const;

const NATIVE = [
  [
    { kind: "ibrname", is: ["probe"], not: false },
    { kind: "obrname", is: ["probe", "probe2"], not: true },
  ],
  [{ kind: "ct-state", is: ["established", "related"], not: false }],
  [{ kind: "ct-state", is: ["invalid"], not: false }],
] as const;
