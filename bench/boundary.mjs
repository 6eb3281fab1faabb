// What writing and proving a boundary's rules costs: print, load, list, read and compare, beside the
// raw limit, which is `nft -f` and `nft -j list ruleset` of the same rules with nobody looking at
// what they say. In a network namespace of its own. Needs root.
import { spawnSync } from "node:child_process";
import {
  applyRuleset,
  compareRulesets,
  deleteOwned,
  listAll,
  openNamespace,
  parseNftJson,
  permitChanges,
  printTables,
  sealRuleset,
} from "../packages/boundary/dist/index.js";
import { interleaved, median, ROUNDS, rounded } from "./lib/stats.mjs";

const SIZES = [10, 100, 1_000, 5_000];
/** Both tables' rules, as many as asked for: a plan's rules are jumps, matches of all kinds, sets. */
const rulesetOf = (size) =>
  sealRuleset({
    owner: "bench",
    authority: "scenario",
    realisation: "br_netfilter",
    inet: [
      {
        name: "forward",
        base: { type: "filter", hook: "forward", priority: -200, policy: "accept" },
        rules: Array.from({ length: Math.ceil(size / 2) }, (_, index) => ({
          identity: `provision.node.n${index % 50}/rule-${index}/in`,
          matches: [
            { kind: "iifname", is: [`br-${index % 8}`], not: false },
            { kind: "ip-destination", is: [address(index % 50)], not: false },
            ports(index),
          ],
          effect: { kind: index % 3 === 0 ? "drop" : "return" },
        })),
      },
    ],
    bridge: [
      {
        name: "prerouting",
        base: { type: "filter", hook: "prerouting", priority: -200, policy: "accept" },
        rules: Array.from({ length: Math.floor(size / 2) }, (_, index) => ({
          identity: `binding/provision.node.n${index}/ipv4`,
          matches: [
            { kind: "iifname", is: [`veth${index}`], not: false },
            { kind: "ether-source", is: [macOf(index)], not: false },
            { kind: "ip-source", is: [address(index)], not: false },
          ],
          effect: { kind: "set-mark", bits: 0x0040_0000 },
        })),
      },
    ],
  });

const address = (index) => ({ base: 0x0a3c_0000 + index, prefix: 32 });
const macOf = (index) =>
  `02:42:0a:3c:${(index >> 8).toString(16).padStart(2, "0")}:${(index & 255).toString(16).padStart(2, "0")}`;
const ports = (index) => ({
  kind: "destination-port",
  protocol: index % 2 === 0 ? "tcp" : "udp",
  is:
    index % 4 === 0
      ? [1, 22, 443].map((port) => ({ first: port, last: port }))
      : [{ first: 1 + (index % 60_000), last: 1 + (index % 60_000) }],
});

const name = `drydock-bench-${process.pid}`;
const command = (program, args, input = "") => {
  const options = { input, maxBuffer: 256 * 1024 * 1024 };
  const { status, stdout, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout;
};
const timed = async (work) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

command("ip", ["netns", "add", name]);
const namespace = permitChanges(openNamespace({ kind: "netns", path: `/run/netns/${name}` }), {
  allowHostNetwork: false,
});
const nft = (args, input) =>
  command("nsenter", [`--net=/run/netns/${name}`, "nft", ...args], input);
const expectNone = (differences) => {
  if (differences.length > 0) throw new Error(JSON.stringify(differences[0]));
};
try {
  for (const size of SIZES) {
    const ruleset = rulesetOf(size);
    const other = rulesetOf(size + 1);
    const text = printTables(ruleset);
    const results = await interleaved(ROUNDS, {
      raw: () =>
        timed(() => {
          nft(["-f", "-"], text);
          nft(["-j", "list", "ruleset"]);
        }),
      rawLoad: () => timed(() => nft(["-f", "-"], text)),
      proven: () =>
        timed(() => {
          nft(["-f", "-"], printTables(ruleset));
          expectNone(compareRulesets([ruleset], parseNftJson(nft(["-j", "list", "ruleset"]))));
        }),
      readback: () =>
        timed(async () => expectNone(compareRulesets([ruleset], await listAll(namespace)))),
      firstApply: async () => {
        await deleteOwned(namespace, "bench");
        return timed(() => applyRuleset(namespace, ruleset));
      },
      replace: async () => {
        nft(["-f", "-"], printTables(other));
        return timed(() => applyRuleset(namespace, ruleset));
      },
    });
    const ms = Object.fromEntries(
      Object.entries(results).map(([key, values]) => [key, rounded(median(values))]),
    );
    console.log(
      JSON.stringify({
        bench: "boundary",
        rules: size,
        rounds: ROUNDS,
        ms,
        ratioProven: rounded(ms.proven / ms.raw),
        ratioFirstApply: rounded(ms.firstApply / ms.raw),
        ratioReplace: rounded(ms.replace / ms.raw),
      }),
    );
  }
} finally {
  namespace[Symbol.dispose]();
  command("ip", ["netns", "del", name]);
}
