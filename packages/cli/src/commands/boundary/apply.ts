import {
  type Aim,
  applyBoundary,
  desiredOf,
  isProven,
  proveBoundary,
  type Stage,
} from "@drydock/boundary";
import { createProgress } from "../../terminal/progress.js";
import { chooseStyle } from "../../terminal/style.js";
import { type JsonFlag, print } from "../context.js";
import { type ApplianceFlags, openAppliance } from "./appliance.js";
import { describeProof, proofJson } from "./proof.js";
import { openReceiptFile, orWithdraw, proveNow, type ReceiptFlags } from "./receipt-file.js";
import { usage } from "./usage.js";
import { readWanted, type WantedFlags, withImages } from "./wanted.js";

export interface BoundaryApplyFlags extends JsonFlag, ApplianceFlags, WantedFlags, ReceiptFlags {}

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
  const receiptFile = openReceiptFile(flags);
  if (receiptFile !== null && files.platform === null)
    throw usage("a receipt is for a policy", "Give --policy and --platform, or no --receipt.");
  const appliance = await openAppliance(flags, {
    allowHostNetwork: files.policy?.allowHostNetwork ?? false,
  });
  using _namespace = appliance.namespace;
  const { engine, kernel } = appliance;
  const wanted = await withImages(files, engine);
  const style = chooseStyle(process.stderr.isTTY === true, process.env);
  const progress = createProgress(process.stderr, style);
  const stages: string[] = [];
  const aim: Aim = {
    wanted,
    desired: desiredOf(wanted),
    realisation: await kernel.realisation(),
  };
  const proof = await orWithdraw(receiptFile, async () => {
    const seen = await applyBoundary(wanted, {
      engine,
      kernel,
      onStage: ({ name, actions }) => {
        stages.push(name);
        // What it says is about to change.
        receiptFile?.withdraw();
        progress.step(`${WORDS[name]} (${actions.length})`);
      },
    });
    progress.step("comparing the kernel's rules with what is meant");
    return receiptFile === null
      ? proveBoundary(aim, seen)
      : await proveNow(receiptFile, aim, { engine, kernel });
  });
  progress.clear();
  const development = flags.dev === true;
  const said = describeProof(aim, proof, { development });
  print(flags, { ...proofJson(aim, proof, { development }), stages }, said);
  return isProven(proof) ? EXIT_PROVEN : EXIT_UNPROVEN;
};
