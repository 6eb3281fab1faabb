import {
  aimAt,
  applyBoundary,
  isProven,
  type Proof,
  proveBoundary,
  type Stage,
} from "@drydock/boundary";
import { openBoundaryEvidence } from "@drydock/trial";
import { locateProgram } from "../../program.js";
import { createProgress } from "../../terminal/progress.js";
import { visible } from "../../terminal/sanitise.js";
import { chooseStyle } from "../../terminal/style.js";
import { directories, type JsonFlag, print } from "../context.js";
import { usage } from "../usage.js";
import { type ApplianceFlags, openAppliance } from "./appliance.js";
import { bindingOf, withdrawBinding, writeBinding } from "./binding-file.js";
import { allowsHostNetwork } from "./host-network.js";
import { interruptible, listenForInterruption, refuseInterrupted } from "./interruption.js";
import { describeProof, proofJson } from "./proof.js";
import { openReceiptFile, orWithdraw, proveNow, type ReceiptFlags } from "./receipt-file.js";
import { appliedInputs, proofEvents, recordingLoads } from "./receipts.js";
import { recorded } from "./recorded.js";
import { requireReplaceable } from "./replace-file.js";
import { readWanted, type WantedFlags, withImages } from "./wanted.js";

export interface BoundaryObserveFlags extends JsonFlag, ApplianceFlags, WantedFlags {}

export interface BoundaryApplyFlags extends BoundaryObserveFlags, ReceiptFlags {
  readonly evidence?: string;
  readonly binding?: string;
}

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
  const { binding: bindingFile } = flags;
  if (bindingFile !== undefined && files.platform === null)
    throw usage("a binding is an appliance's", "Give --policy and --platform, or no --binding.");
  if (bindingFile !== undefined) requireReplaceable(bindingFile);
  using interruption = listenForInterruption();
  const { signal } = interruption;
  const appliance = await openAppliance(flags, {
    allowHostNetwork: allowsHostNetwork(files),
    claim: "change",
  });
  using _namespace = appliance.namespace;
  const engine = interruptible(appliance.engine, signal);
  const kernel = interruptible(appliance.kernel, signal);
  const wanted = await withImages(files, engine);
  const style = chooseStyle(process.stderr.isTTY === true, process.env);
  const progress = createProgress(process.stderr, style);
  const stages: string[] = [];
  const aim = await aimAt(wanted, kernel);
  const evidence = await openBoundaryEvidence({
    directories: directories(),
    program: locateProgram(),
    directory: flags.evidence ?? null,
    inputs: await appliedInputs(aim, files, { engine, kernel }),
  });
  const development = flags.dev === true;
  const bringUp = async (): Promise<Proof> => {
    // The gate is shut until the whole of it is there.
    if (bindingFile !== undefined) withdrawBinding(bindingFile);
    const seen = await applyBoundary(aim, {
      engine,
      kernel: recordingLoads(kernel, wanted.owner, evidence.record),
      onStage: ({ name, actions }) => {
        stages.push(name);
        // What it says is about to change.
        receiptFile?.withdraw();
        progress.step(`${WORDS[name]} (${actions.length})`);
        const measurements = { name, count: actions.length };
        evidence.record({ type: "boundary.stage", measurements });
        evidence.checkpoint();
      },
    });
    progress.step("comparing the kernel's rules with what is meant");
    const proof =
      receiptFile === null
        ? proveBoundary(aim, seen)
        : await proveNow(receiptFile, aim, { engine, kernel });
    refuseInterrupted(signal);
    if (bindingFile !== undefined && isProven(proof))
      writeBinding(bindingFile, bindingOf(proof, seen.topology, { development }));
    return proof;
  };
  // A receipt beside evidence that couldn't be concluded would say more than is known.
  const { outcome: proof, verdict } = await orWithdraw(receiptFile, () =>
    recorded(evidence, bringUp, proofEvents),
  );
  progress.clear();
  const { run, directory } = evidence;
  const said = `${describeProof(aim, proof, { development })}evidence     ${visible(directory)} ${verdict}\n`;
  const kept = { run, evidence: directory, verdict };
  print(flags, { ...proofJson(aim, proof, { development }), stages, ...kept }, said);
  return isProven(proof) ? EXIT_PROVEN : EXIT_UNPROVEN;
};
