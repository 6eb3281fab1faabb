import {
  type Aim,
  applyBoundary,
  desiredOf,
  isProven,
  type Proof,
  proveBoundary,
  type Stage,
} from "@drydock/boundary";
import { createProgress } from "../../terminal/progress.js";
import { visible } from "../../terminal/sanitise.js";
import { chooseStyle } from "../../terminal/style.js";
import { type JsonFlag, print } from "../context.js";
import { type ApplianceFlags, openAppliance } from "./appliance.js";
import { readWanted, type WantedFlags, withImages } from "./wanted.js";

export interface BoundaryApplyFlags extends JsonFlag, ApplianceFlags, WantedFlags {}

const EXIT_PROVEN = 0;
const EXIT_UNPROVEN = 1;

const WORDS: Readonly<Record<Stage["name"], string>> = {
  stale: "removing what isn't wanted any longer",
  networks: "making networks",
  settings: "setting what the rules depend on",
  floor: "denying everything of the platform",
  "scenario-table": "loading the scenario's rules",
  anchors: "starting the platform's anchors",
  "platform-table": "loading the platform's rules",
  nodes: "starting the scenario's nodes",
  routes: "setting default routes",
};

/** `drydock boundary apply`: brings a boundary up, and proves that it holds. */
export const boundaryApply = async (
  planFile: string,
  flags: BoundaryApplyFlags,
): Promise<number> => {
  const files = readWanted(planFile, flags);
  const appliance = await openAppliance(flags, {
    allowHostNetwork: files.policy?.allowHostNetwork ?? false,
  });
  using _namespace = appliance.namespace;
  const { engine, kernel } = appliance;
  const wanted = await withImages(files, engine);
  const style = chooseStyle(process.stderr.isTTY === true, process.env);
  const progress = createProgress(process.stderr, style);
  const stages: string[] = [];
  const seen = await applyBoundary(wanted, {
    engine,
    kernel,
    onStage: ({ name, actions }) => {
      stages.push(name);
      progress.step(`${WORDS[name]} (${actions.length})`);
    },
  });
  progress.step("comparing the kernel's rules with what is meant");
  const aim: Aim = {
    wanted,
    desired: desiredOf(wanted),
    realisation: await kernel.realisation(),
  };
  const proof = proveBoundary(aim, seen);
  progress.clear();
  print(flags, summary(aim, proof, stages, flags), describe(aim, proof, flags));
  return isProven(proof) ? EXIT_PROVEN : EXIT_UNPROVEN;
};

const summary = (
  { desired, realisation }: Aim,
  { expected, differences, report }: Proof,
  stages: readonly string[],
  { dev }: WantedFlags,
) => ({
  owner: desired.owner,
  realisation,
  development: dev === true,
  stages,
  networks: desired.networks.length,
  containers: desired.anchors.length + desired.nodes.length,
  rulesets: expected.map(({ authority, digest }) => ({ authority, digest })),
  differences,
  cells: report?.cells ?? 0,
  proven: differences.length === 0 && report?.ok === true,
});

const describe = ({ desired, realisation }: Aim, proof: Proof, { dev }: WantedFlags): string => {
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  const { expected, differences, report } = proof;
  const word = isProven(proof) ? style.good("holds") : style.bad("isn't proven");
  return [
    `boundary ${visible(desired.owner)} ${word}`,
    `realisation  ${realisation}`,
    ...expected.map(({ authority, digest }) => `${authority.padEnd(12)} ${digest}`),
    `checked      ${report?.cells ?? 0} classes of packets`,
    ...differences.map(
      ({ kind, table, rule }) => `differs      ${kind}: ${visible([table, rule].join(" "))}`,
    ),
    ...(dev === true ? ["development  no evidence of an appliance"] : []),
    "",
  ].join("\n");
};
