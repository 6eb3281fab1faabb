import { randomBytes } from "node:crypto";
import {
  type ApplianceAim,
  type GateFinding,
  type GatePhase,
  type GateRequest,
  type GuestSources,
  observeGuest,
  parseBinding,
  qualify,
  runEgressProbes,
  runProbes,
  unobserved,
} from "@drydock/boundary";
import { readPublicKey } from "@drydock/broker";
import { isDrydockError, readNamedFile } from "@drydock/evidence";
import { openBoundaryEvidence } from "@drydock/trial";
import { locateProber, locateProgram } from "../../program.js";
import { createProgress } from "../../terminal/progress.js";
import { chooseStyle } from "../../terminal/style.js";
import { directories, type JsonFlag } from "../context.js";
import { type Appliance, type ApplianceFlags, openAppliance } from "./appliance.js";
import { askedSources } from "./asked-sources.js";
import { gateEvents } from "./gate-events.js";
import { type Answer, exitCodeOf, printAnswer, printUnable } from "./gate-report.js";
import { gateInputs } from "./gate-sealed.js";
import { interruptible, listenForInterruption, refuseInterrupted } from "./interruption.js";
import { recorded } from "./recorded.js";
import { type ReleasedFiles, type ReleaseFlags, readReleased } from "./wanted.js";

export interface BoundaryGateFlags extends JsonFlag, ApplianceFlags, ReleaseFlags {
  readonly phase: GatePhase;
  readonly policy: string;
  readonly platform: string;
  readonly mounts?: string;
  readonly binding: string;
  readonly hostObservation?: string;
  readonly hostKey: string;
  readonly audience: "operator" | "participant";
  readonly all?: boolean;
  readonly evidence?: string;
}

/** `drydock boundary gate`: whether an appliance may start, or its image may be released. */
export const boundaryGate = async (planFile: string, flags: BoundaryGateFlags): Promise<number> => {
  try {
    const answer = await askGate(planFile, flags);
    printAnswer(answer, flags);
    return exitCodeOf(answer.findings);
  } catch (error) {
    // A participant is told no path, no name and no reason.
    if (flags.audience !== "participant" || (isDrydockError(error) && error.code === "USAGE"))
      throw error;
    return printUnable(flags);
  }
};

const askGate = async (planFile: string, flags: BoundaryGateFlags): Promise<Answer> => {
  const files = readReleased(planFile, flags);
  const launch = parseBinding(readNamedFile(flags.binding), { file: flags.binding });
  const hostKey = readPublicKey(readNamedFile(flags.hostKey));
  const { development, ...binding } = launch;
  const isReleased = files.release.boundary.policyDigest === files.policy.digest;
  using interruption = listenForInterruption();
  const { signal } = interruption;
  const opened = await openAppliance(flags, {
    // Only a policy that somebody vouches for may say so.
    allowHostNetwork: isReleased && files.policy.allowHostNetwork,
    claim: null,
  });
  using _namespace = opened.namespace;
  const appliance: Appliance = {
    ...opened,
    engine: interruptible(opened.engine, signal),
    kernel: interruptible(opened.kernel, signal),
  };
  const progress = createProgress(
    process.stderr,
    chooseStyle(process.stderr.isTTY === true, process.env),
  );
  const step = (text: string): void => {
    if (flags.audience === "operator") progress.step(text);
  };
  step("looking at what is there");
  const { aim, inputs } = await gateInputs(files, flags.phase, { binding, development }, appliance);
  const evidence = await openBoundaryEvidence({
    directories: directories(),
    program: locateProgram(),
    directory: flags.evidence ?? null,
    inputs,
  });
  const seed = randomBytes(16);
  const judge = async (): Promise<Judged> => {
    step("comparing rules, trying flows, counting holders");
    const guest = isReleased
      ? await observeGuest(
          aim,
          files.release.boundary,
          sourcesOf(flags, files, aim, appliance, seed),
        )
      : unobserved(aim, "RELEASE_POLICY_DIFFERENT");
    refuseInterrupted(signal);
    const request: GateRequest = {
      phase: flags.phase,
      policy: files.policy,
      release: files.release,
      binding,
      // Last, so that it is fresh when the gate answers: everything before takes its time.
      hostObservation: readObservation(flags.hostObservation),
      hostKey,
      guest,
      now: Date.now(),
      development,
    };
    return { request, findings: qualify(request) };
  };
  const { outcome, verdict } = await recorded(evidence, judge, ({ request, findings }) =>
    gateEvents(request, findings, seed),
  );
  progress.clear();
  const { run, directory } = evidence;
  return { ...outcome, run, directory, verdict, seed };
};

interface Judged {
  readonly request: GateRequest;
  readonly findings: readonly GateFinding[];
}

/** null: nobody looked, or it can't be read, which is as good. */
const readObservation = (file: string | undefined): Uint8Array | null => {
  if (file === undefined) return null;
  try {
    return readNamedFile(file);
  } catch (error) {
    if (isDrydockError(error)) return null;
    throw error;
  }
};

const sourcesOf = (
  flags: BoundaryGateFlags,
  { policy }: ReleasedFiles,
  { desired }: ApplianceAim,
  { namespace, engine, kernel }: Appliance,
  seed: Uint8Array,
): GuestSources => {
  const extent = flags.all === true ? "all" : "sample";
  const places = { program: locateProber(), toolDirectories: namespace.toolDirectories };
  return {
    engine,
    kernel,
    probe: (cells, pids) => runProbes(cells, { ...places, extent, seed, pids }),
    probeEgress:
      flags.phase === "image-qualification"
        ? (boundary, pids) => runEgressProbes(boundary, { ...places, pids })
        : null,
    ...askedSources(policy, desired, { namespace, engine, dockerSocket: flags.dockerSocket }),
  };
};
