import { setTimeout as pause } from "node:timers/promises";
import {
  type ApplianceAim,
  aimAt,
  CheckThread,
  openResidentKernel,
  raisePriority,
  readbackReceiptOf,
  ruleEvents,
  type WatchEvent,
  watchBoundary,
} from "@drydock/boundary";
import { openBoundaryEvidence } from "@drydock/trial";
import { locateChecker, locateProgram } from "../../program.js";
import { visible } from "../../terminal/sanitise.js";
import { directories } from "../context.js";
import { usage } from "../usage.js";
import { openAppliance } from "./appliance.js";
import type { BoundaryObserveFlags } from "./apply.js";
import { askedSources } from "./asked-sources.js";
import { allowsHostNetwork } from "./host-network.js";
import { listenForInterruption } from "./interruption.js";
import { openReceiptFile, orWithdraw, type ReceiptFlags } from "./receipt-file.js";
import { appliedInputs } from "./receipts.js";
import { readWanted, type WantedFiles, withImages } from "./wanted.js";
import { WatchRecord } from "./watch-record.js";

export interface BoundaryWatchFlags extends BoundaryObserveFlags, ReceiptFlags {
  readonly report?: boolean;
  readonly evidence?: string;
}

const EXIT_OPEN = 0;
const EXIT_CLOSED = 1;

/** `drydock boundary watch`: looks on until a signal, and closes what isn't as it has to be. */
export const boundaryWatch = async (
  planFile: string,
  flags: BoundaryWatchFlags,
): Promise<number> => {
  if (flags.report === true && flags.dev !== true)
    throw usage("an appliance's drift isn't only reported", "Leave out --report, or say --dev.");
  const files = readWanted(planFile, flags);
  const { platform, policy } = files;
  if (platform === null || policy === null)
    throw usage("a watch is an appliance's", "Give --policy and --platform.");
  const receiptFile = openReceiptFile(flags);
  using interruption = listenForInterruption();
  const { signal } = interruption;
  const { namespace, engine } = await openAppliance(flags, {
    allowHostNetwork: allowsHostNetwork(files),
    claim: "watch",
  });
  using _namespace = namespace;
  using kernel = openResidentKernel(namespace);
  const thread = new CheckThread(locateChecker());
  try {
    const wanted: ApplianceAim["wanted"] = { ...(await withImages(files, engine)), platform };
    const aim = await aimAt(wanted, kernel);
    const inputs = await appliedInputs(aim, files, { engine, kernel });
    const { bootId, daemonId } = inputs.topology;
    const evidence = await openBoundaryEvidence({
      directories: directories(),
      program: locateProgram(),
      directory: flags.evidence ?? null,
      inputs: { ...inputs, phase: "watch" },
    });
    const say = sayer(flags);
    const record = new WatchRecord(evidence.record);
    const floor = { isLaid: false, reason: "" };
    const heard = (event: WatchEvent): void => {
      const isDropped = event.kind === "dropped";
      if (!isDropped && !(event.kind === "failed" && event.what === "drop")) return;
      if (isDropped && floor.isLaid) return;
      floor.isLaid = isDropped;
      record.floor(isDropped ? "dropped" : "failed", isDropped ? floor.reason : event.code);
      evidence.checkpoint();
      say({ event: "floor", outcome: isDropped ? "dropped" : "failed" });
    };
    const isRaised = raisePriority();
    say({ event: "watching", mode: flags.report === true ? "report" : "close", isRaised });
    const watched = watchBoundary(
      {
        aim,
        binding: {
          launch: "",
          planDigest: wanted.plan.digest,
          hostBootId: bootId,
          guestBootId: bootId,
          guestDaemonId: daemonId,
          hostObservationId: null,
          mappings: [],
        },
        images: signedImages(files, wanted),
        mode: flags.report === true ? "report" : "close",
      },
      {
        engine,
        kernel,
        ...askedSources(policy, aim.desired, {
          namespace,
          engine,
          dockerSocket: flags.dockerSocket,
        }),
        check: (request) => thread.check(request),
        ruleEvents: (ending) => ruleEvents(namespace, ending),
        report: (findings) => {
          floor.reason ||= findings[0]?.code ?? "";
          record.found(findings);
          for (const { code, about } of findings) say({ event: "finding", code, about });
        },
        proven: (proof, { topology }, observedAt) => {
          record.proven(proof);
          const receipt = readbackReceiptOf(proof, topology, observedAt);
          if (receipt === null || !receipt.ok) receiptFile?.withdraw();
          else receiptFile?.write(receipt);
        },
        closing: () => receiptFile?.withdraw(),
        onEvent: heard,
        now: () => performance.now(),
        clock: () => new Date(),
        wait: (ms, ending) => pause(ms, undefined, { signal: ending }).catch(() => undefined),
      },
      signal,
    );
    // Whoever stops watching stops vouching, whatever ended it.
    const isOpen = await orWithdraw(receiptFile, () => watched);
    receiptFile?.withdraw();
    record.end(isOpen);
    const { verdict } = await evidence.conclude("completed");
    const { run, directory } = evidence;
    say({ event: "ended", isOpen, findings: record.findings, run, evidence: directory, verdict });
    return isOpen && record.findings === 0 ? EXIT_OPEN : EXIT_CLOSED;
  } finally {
    await thread[Symbol.asyncDispose]();
  }
};

/** The release's; with --dev what the platform is made of stands for it. */
const signedImages = (
  { release }: Pick<WantedFiles, "release">,
  { helper, platform }: ApplianceAim["wanted"],
) => ({
  helperImage: release?.boundary.helperImage ?? helper.image,
  proxyImage: release?.boundary.proxyImage ?? platform.parts.anchors.egress.image,
});

type Said = Readonly<Record<string, string | number | boolean | null>> & { readonly event: string };

/** One JSON object a line, or words. */
const sayer =
  ({ json }: Pick<BoundaryWatchFlags, "json">) =>
  (said: Said): void => {
    const { event, ...rest } = said;
    const words = Object.entries(rest).map(([name, value]) => `${name}=${value ?? ""}`);
    const line = json === true ? JSON.stringify(said) : visible(`${event} ${words.join(" ")}`);
    process.stdout.write(`${line}\n`);
  };
