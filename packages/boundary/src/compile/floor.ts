import type { Authority, BoundNetwork, Ruleset } from "../model/index.js";
import { sealRuleset } from "../ruleset/index.js";
import { bridgeTable } from "./bridge-table.js";
import type { CompileOptions, Context } from "./context.js";
import * as match from "./match.js";
import { ACCEPT, baseChain, DROP, rule } from "./rule.js";
import { territoryOf } from "./territory.js";

/**
 * An authority's tables while nothing is bound: nothing passes, and no state makes an exception, so
 * that replacing a ruleset by its floor cuts what runs.
 *
 * @param ports of the networks' bridges, as far as they are known: where a bridge can't be matched,
 *   what isn't IP between two ports that nobody named would pass.
 * @throws DrydockError RULESET_INVALID for what can't be written as rules
 */
export const compileFloor = (
  authority: Authority,
  {
    networks,
    ports,
  }: { readonly networks: readonly BoundNetwork[]; readonly ports: readonly string[] },
  { owner, realisation }: CompileOptions,
): Ruleset => {
  const context: Context = { owner, realisation, authority };
  const territory = territoryOf(networks, []);
  const { bridges } = territory;
  return sealRuleset({
    ...context,
    inet: [
      baseChain(context, "forward", [
        rule(
          "forward/not-ours",
          [match.notIifname(...bridges), match.notOifname(...bridges)],
          ACCEPT,
        ),
        rule("forward/floor", [], DROP),
      ]),
      baseChain(context, "input", [rule("input/to-host", [match.iifname(...bridges)], DROP)]),
      baseChain(context, "output", [rule("output/from-host", [match.oifname(...bridges)], DROP)]),
    ],
    bridge: bridgeTable(context, territory, { closed: ports, judged: [] }),
  });
};
