// What writing and proving a boundary's rules costs: print, load, list, read and compare, with and
// without compiling them, beside the raw limit, which is `nft -f` and `nft -j list ruleset` of the same rules with nobody looking at
// what they say. In a network namespace of its own. Needs root.
import { spawnSync } from "node:child_process";
import {
  applyRuleset,
  compareRulesets,
  compileScenario,
  deleteOwned,
  listAll,
  openNamespace,
  parseToldRules,
  permitChanges,
  printTables,
  TELLS_ALL,
} from "../packages/boundary/dist/index.js";
import { scenarioOf } from "./lib/scenario.mjs";
import { interleaved, median, ROUNDS, rounded } from "./lib/stats.mjs";

/** Rules that an author writes; what they become in the kernel is printed beside. */
const SIZES = [10, 100, 1_000, 5_000];
const NODES = 50;
const OPTIONS = { owner: "bench", realisation: "br_netfilter" };
const planned = (rules) => scenarioOf({ rules, nodes: NODES });

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
    const scenario = planned(size);
    const ruleset = compileScenario(scenario, OPTIONS);
    const other = compileScenario(planned(size + 1), OPTIONS);
    const text = printTables(ruleset);
    const prove = (expected) => {
      nft(["-f", "-"], printTables(expected));
      const told = nft([...TELLS_ALL, "list", "ruleset"]);
      expectNone(compareRulesets([expected], parseToldRules(told)));
    };
    const results = await interleaved(ROUNDS, {
      raw: () =>
        timed(() => {
          nft(["-f", "-"], text);
          nft(["-j", "list", "ruleset"]);
        }),
      rawLoad: () => timed(() => nft(["-f", "-"], text)),
      proven: () => timed(() => prove(ruleset)),
      compiledAndProven: () => timed(() => prove(compileScenario(scenario, OPTIONS))),
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
        inKernel: [ruleset.inet, ruleset.bridge]
          .flatMap(({ chains }) => chains)
          .reduce((sum, { rules }) => sum + rules.length, 0),
        rounds: ROUNDS,
        ms,
        ratioProven: rounded(ms.proven / ms.raw),
        ratioCompiledAndProven: rounded(ms.compiledAndProven / ms.raw),
        ratioFirstApply: rounded(ms.firstApply / ms.raw),
        ratioReplace: rounded(ms.replace / ms.raw),
      }),
    );
  }
} finally {
  namespace[Symbol.dispose]();
  command("ip", ["netns", "del", name]);
}
