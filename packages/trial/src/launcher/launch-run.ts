import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DrydockError } from "@drydock/evidence";
import {
  allocateSlot,
  BULK_CHANNEL,
  EGRESS_CHANNEL,
  ensureNative,
  identifyProcess,
  openStore,
  requireOwnAgent,
  resolveImage,
  systemTools,
} from "@drydock/vm";
import { haltNow, layoutOf } from "../home/index.js";
import { sweepMachine } from "../recovery/index.js";
import { refuseUnderHalt, requireHome, requireSpace } from "../state/index.js";
import { requireBrokerTrust } from "./broker-trust.js";
import { ensureState } from "./home.js";
import { RunMachine } from "./machine.js";
import type { LaunchOptions } from "./options.js";
import { ensureMountPoints } from "./processes.js";
import { requireReadable } from "./program.js";
import { requireRoot } from "./require-root.js";
import { type LaunchedRun, RunLaunch } from "./run-launch.js";

/**
 * Starts a run: takes a slot, starts reaper, controller and port process, and does for the
 * controller what root must do. Nothing is left behind when it throws.
 *
 * @throws DrydockError NOT_ROOT, HALTED, IMAGE_*, STATE_* and what launching throws.
 */
export const launchRun = async (options: LaunchOptions): Promise<LaunchedRun> => {
  requireHome(options.state);
  requireRoot("starting a virtual machine behind its walls");
  // Before anything is made: under halt a dynamic verb leaves the machine as it found it.
  refuseUnderHalt("run", haltNow(layoutOf(options.state)));
  requireSpace(options.state);
  const { layout, madeKeys, environmentKey } = await ensureState(options.state, new Date());
  if (options.egress !== null) requireBrokerTrust(layout);
  if (madeKeys) options.onNote?.(`made a controller key; its trust file is ${layout.trust}`);
  requireReadable(options.program);
  ensureMountPoints(options.program);
  const { live } = await sweepMachine(layout);

  const store = openStore(join(options.cache, "images"));
  const tools = systemTools();
  const native = await ensureNative(store, tools, options.program.nativeSource);
  const image = await resolveImage(store, options.spec.image);
  requireOwnAgent(image, options.program.agentBundle);
  const self = identifyProcess(process.pid);
  if (self === undefined) throw new DrydockError("INTERNAL", "/proc doesn't show this process");

  const run = newRunId(new Date());
  const slot = allocateSlot(run, { ...self, role: "launcher" });
  const launch = new RunLaunch(options, slot, layout, native, { liveRuns: live, environmentKey });
  try {
    return await launch.start(
      new RunMachine({
        store,
        tools,
        native,
        image,
        cpus: options.spec.limits.cpus,
        memoryBytes: options.spec.limits.memoryBytes,
        diskBytes: options.spec.limits.diskBytes,
        snapshot: options.spec.snapshot,
        slot,
        scratch: launch.scratch,
        channels: [BULK_CHANNEL, ...(options.egress === null ? [] : [EGRESS_CHANNEL])],
        onNote: options.onNote,
      }),
      image,
    );
  } catch (error) {
    await launch.abandon();
    throw error;
  }
};

/** Sorts by time; the rest is random, so that no two are equal. */
const newRunId = (now: Date): string =>
  `${now.toISOString().replace(/[-:]|\.\d+/g, "")}-${randomBytes(5).toString("hex")}`;
