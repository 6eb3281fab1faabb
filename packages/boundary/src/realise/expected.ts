import { bindPlatform, bindScenario } from "../bind/index.js";
import { compilePlatform, compileScenario } from "../compile/index.js";
import type { BoundPlatform, BoundScenario, ObservedTopology, Ruleset } from "../model/index.js";
import type { Aim, ApplianceAim } from "./aim.js";

/** What is there, bound, and the rules that the kernel has to hold for it. */
export interface Expected<P extends BoundPlatform | null = BoundPlatform> {
  readonly scenario: BoundScenario;
  /** null: a scenario alone. */
  readonly platform: P;
  /** The scenario's, and the platform's. */
  readonly rulesets: readonly Ruleset[];
}

type Bindable<A extends Aim> = Pick<A, "wanted" | "realisation">;

/** @throws DrydockError BIND_… */
export function expectedOn(aim: Bindable<ApplianceAim>, topology: ObservedTopology): Expected;
export function expectedOn(
  aim: Bindable<Aim>,
  topology: ObservedTopology,
): Expected<BoundPlatform | null>;
export function expectedOn(
  { wanted: { owner, plan, platform: signed }, realisation }: Bindable<Aim>,
  topology: ObservedTopology,
): Expected<BoundPlatform | null> {
  const options = { owner, realisation };
  const scenario = bindScenario(plan, topology);
  const platform = signed === null ? null : bindPlatform(signed.policy, topology);
  return {
    scenario,
    platform,
    rulesets: [
      compileScenario(scenario, options),
      ...(platform === null ? [] : [compilePlatform(platform, options)]),
    ],
  };
}
