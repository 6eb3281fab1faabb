import { DrydockError } from "@drydock/evidence";
import type { Task, TaskValue } from "../lifecycle/index.js";
import type { Commands } from "./commands.js";
import type { RunContext } from "./context.js";
import {
  appendJournal,
  openReceipts,
  propose,
  readHalt,
  reserve,
  sealInputs,
} from "./tasks-birth.js";
import { attest, grantChannel, handshake, spawnVmm, stageFiles } from "./tasks-body.js";
import {
  checkpointAll,
  collectArtifacts,
  compareSource,
  concludeLedger,
  concludeVerdict,
  destroySlot,
  endProcesses,
  endReceipts,
  measureUsage,
  revokeChannel,
  revokeChannels,
  settle,
  stopGuest,
} from "./tasks-end.js";

const NONE: TaskValue = { kind: "none" };

/** What each task of the lifecycle is made of. Whatever throws here is the task's failure. */
export const performTask = async (
  context: RunContext,
  commands: Commands,
  task: Task,
): Promise<TaskValue> => {
  const { launcher, port, ledger, facts, reaper } = context;
  switch (task.kind) {
    case "armReaper":
      await reaper.arm(task.deadlines.phase.PLAN + task.deadlines.phase.SEAL);
      return NONE;
    case "propose":
      await propose(context);
      return NONE;
    case "sealSource":
      return { kind: "sealed", manifest: await sealInputs(context) };
    case "openLog":
      await openReceipts(context);
      return NONE;
    case "appendJournal":
      await appendJournal(context);
      return NONE;
    case "approve":
      facts.get("receipts").record({ type: "approve", decision: "not-required" });
      return NONE;
    case "checkHalt":
      return { kind: "halt", reading: readHalt(context) };
    case "reserve":
      return { kind: "reserved", haltGeneration: await reserve(context) };
    case "createSlot":
      await launcher.createSlot(null);
      return NONE;
    case "stageFiles":
      await stageFiles(context);
      return NONE;
    case "commitIntent":
      await ledger.intent(facts.get("actor"), facts.get("sealed").digest);
      return NONE;
    case "spawnVmm":
      await spawnVmm(context);
      return NONE;
    case "attest":
      await attest(context, task.stage, task.channels);
      return NONE;
    case "grantChannel":
      await grantChannel(context, task.channel);
      return NONE;
    case "startGuest":
      await port.resume(null);
      return NONE;
    case "handshake":
      await handshake(context);
      return NONE;
    case "command":
      await commands.run(task.command);
      return NONE;
    case "observe":
      facts.learn("usage", await launcher.usage(null));
      return NONE;
    case "quiesce":
      await port.quiesce(null);
      return NONE;
    case "collectArtifacts":
      await collectArtifacts(context);
      return NONE;
    case "revokeChannel":
      await revokeChannel(context, task.channel);
      return NONE;
    case "revokeChannels":
      await revokeChannels(context);
      return NONE;
    case "checkpoint":
      await checkpointAll(context);
      return NONE;
    case "measureUsage":
      await measureUsage(context);
      return NONE;
    case "stopGuest":
      await stopGuest(context, task.mode);
      await endProcesses(context, task.mode === "orderly");
      return NONE;
    case "destroySlot":
      return { kind: "destroyed", gone: await destroySlot(context) };
    case "compareSource":
      await compareSource(context);
      return NONE;
    case "settle":
      await settle(context, task.how);
      return NONE;
    case "endLog":
      endReceipts(context, task.ending, task.doubts);
      return NONE;
    case "deriveVerdict": {
      const { verdict } = await concludeVerdict(context, task.ceiling);
      return { kind: "verdict", verdict };
    }
    case "conclude":
      await concludeLedger(context, task.outcome);
      return NONE;
    case "disarmReaper":
      await reaper.quit();
      return NONE;
    default: {
      const never: never = task;
      throw new DrydockError("INTERNAL", `no such task: ${JSON.stringify(never)}`);
    }
  }
};
