import { bindPlatform, bindScenario } from "../bind/index.js";
import { compilePlatform, compileScenario } from "../compile/index.js";
import type { BoundPlatform, BoundScenario, ObservedTopology, Ruleset } from "../model/index.js";
import type { ApplianceAim } from "./appliance.js";

/** What is there, bound, and the rules that the kernel has to hold for it. */
export interface Expected {
  readonly scenario: BoundScenario;
  readonly platform: BoundPlatform;
  readonly rulesets: readonly [Ruleset, Ruleset];
}

/** @throws DrydockError BIND_… */
export const expectedOn = (
  { wanted: { owner, plan, platform: signed }, realisation }: ApplianceAim,
  topology: ObservedTopology,
): Expected => {
  const scenario = bindScenario(plan, topology);
  const platform = bindPlatform(signed.policy, topology);
  const options = { owner, realisation };
  return {
    scenario,
    platform,
    rulesets: [compileScenario(scenario, options), compilePlatform(platform, options)],
  };
};
