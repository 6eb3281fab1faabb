import {
  type AppliancePolicy,
  type AuthoredLines,
  type Boundary,
  bindPlatform,
  bindScenario,
  compilePlatform,
  compileScenario,
  type ObservedTopology,
  type PlanNode,
  type ProvisioningPlan,
  parseAppliancePolicy,
  parsePlan,
  parsePlatform,
  parseTopology,
  plannedTopology,
  platformLines,
  type Realisation,
  type Ruleset,
  scenarioLines,
} from "@drydock/boundary";
import { readNamedFile } from "@drydock/evidence";
import { usage } from "../usage.js";

/** What is compiled for whom. */
export interface CompileInputs {
  readonly policy?: string;
  readonly platform?: string;
  readonly topology?: string;
  readonly owner: string;
  readonly realisation: Realisation;
}

/** A ruleset, and where its authored rules come from. */
export interface Authored {
  readonly ruleset: Ruleset;
  readonly lines: AuthoredLines;
  readonly file: string;
}

export interface Compiled extends Boundary {
  readonly nodes: readonly PlanNode[];
  readonly rulesets: readonly Authored[];
  /** Whom the rules are for: what a file says was observed, or what apply would make. */
  readonly topology: "planned" | "observed";
}

/** @throws DrydockError USAGE, FILE_…, PLAN_…, POLICY_…, PLATFORM_…, BIND_…, RULESET_INVALID */
export const compileFiles = (planFile: string, inputs: CompileInputs): Compiled => {
  const { owner, realisation, policy: policyFile } = inputs;
  const plan = parsePlan(readNamedFile(planFile), { file: planFile });
  const policy = policyFile === undefined ? null : readPolicy(policyFile);
  const topology = topologyFor(plan, policy, inputs);
  const scenario = bindScenario(plan, topology);
  const platform = policy === null ? null : bindPlatform(policy, topology);
  const options = { owner, realisation };
  const rulesets: Authored[] = [
    {
      ruleset: compileScenario(scenario, options),
      lines: scenarioLines(scenario),
      file: planFile,
    },
  ];
  if (platform !== null) {
    rulesets.push({
      ruleset: compilePlatform(platform, options),
      lines: platformLines(platform),
      file: policyFile ?? "",
    });
  }
  return {
    scenario,
    platform,
    nodes: plan.nodes,
    rulesets,
    topology: inputs.topology === undefined ? "planned" : "observed",
  };
};

const readPolicy = (file: string): AppliancePolicy =>
  parseAppliancePolicy(readNamedFile(file), { file });

const topologyFor = (
  plan: ProvisioningPlan,
  policy: AppliancePolicy | null,
  { topology, platform, owner }: CompileInputs,
): ObservedTopology => {
  if (topology !== undefined && platform !== undefined)
    throw usage("--topology and --platform both say where the platform is", "Give one of them.");
  if (topology !== undefined) return parseTopology(readNamedFile(topology), { file: topology });
  if (policy === null && platform !== undefined)
    throw usage("--platform without --policy", "Give the policy that selects it.");
  if (policy === null) return plannedTopology({ owner, plan, platform: null });
  if (platform === undefined)
    throw usage(
      "a policy has no addresses of its own",
      "Give --platform, or --topology with what was observed.",
    );
  const parts = parsePlatform(readNamedFile(platform), { file: platform });
  return plannedTopology({ owner, plan, platform: { policy, parts } });
};
