import type { Draft } from "./draft.js";
import type { Task } from "./effect.js";
import { endingCode, verdictCeiling } from "./ending.js";
import { endRun, isBodyGone, settlementOf } from "./finish.js";
import type { Stop } from "./route.js";
import type { LifecycleState } from "./state.js";

/** Goes on until something has to be waited for. */
export const advance = (draft: Draft): void => {
  while (draft.state.waiting.kind === "nothing" && !draft.state.done) {
    const [stop, ...ahead] = draft.state.ahead;
    if (stop === undefined) {
      if (draft.state.ending === null) endRun(draft, { kind: "completed" });
      else finish(draft);
      continue;
    }
    draft.set({ ahead });
    draft.enter(stop.phase);
    visit(draft, stop);
  }
};

const visit = (draft: Draft, stop: Stop): void => {
  switch (stop.do) {
    case "drive":
      draft.set({ waiting: { kind: "commands" } });
      draft.emit({ kind: "ready" });
      leaveDrive(draft);
      return;
    case "awaitQuiet":
      draft.set({ waiting: { kind: "quiet" } });
      armEnding(draft);
      leaveQuiet(draft);
      return;
    case "skipPhase":
      draft.record({ type: "phase", decision: "skipped", name: stop.phase });
      return;
    default: {
      const task = taskAt(draft, stop);
      if (task === null) return;
      const id = draft.ask(task, null);
      draft.set({ waiting: { kind: "task", id } });
      armEnding(draft);
    }
  }
};

/** While a run is being ended, no single answer may keep it from its end. */
const armEnding = (draft: Draft): void => {
  const { ending, plan } = draft.state;
  if (ending !== null) draft.emit({ kind: "armEnding", millis: plan.deadlines.ending });
};

export const leaveDrive = (draft: Draft): void => {
  const { waiting, finishing, commands } = draft.state;
  if (waiting.kind === "commands" && finishing && commands.size === 0) {
    draft.set({ waiting: { kind: "nothing" } });
  }
};

/** Commands don't count: their channels are gone, and they create nothing outside the guest. */
export const leaveQuiet = (draft: Draft): void => {
  const { waiting, out } = draft.state;
  const quiet = [...out.values()].every(({ command }) => command !== null);
  if (waiting.kind === "quiet" && quiet) draft.set({ waiting: { kind: "nothing" } });
};

type TaskStop = Exclude<Stop, { do: "drive" | "awaitQuiet" | "skipPhase" }>;

/** The task for a stop, or null when there is nothing for it to act on. */
const taskAt = (draft: Draft, stop: TaskStop): Task | null => {
  const { state } = draft;
  switch (stop.do) {
    case "armReaper":
      return { kind: "armReaper", deadlines: state.plan.deadlines };
    case "openLog":
    case "appendJournal":
    case "approve":
      return state.manifest === null ? null : { kind: stop.do, manifest: state.manifest };
    case "checkHalt":
      return { kind: "checkHalt", before: stop.before };
    case "grantChannel":
    case "revokeChannel":
      return { kind: stop.do, channel: stop.channel };
    case "attest":
      return { kind: "attest", stage: stop.stage, channels: state.granted };
    case "stopGuest":
      return { kind: "stopGuest", mode: stop.mode };
    case "destroySlot":
      return state.asked.has("createSlot") ? { kind: "destroySlot" } : null;
    case "compareSource":
      return state.asked.has("sealSource") ? { kind: "compareSource" } : null;
    case "settle": {
      const settlement = settlementOf(state);
      draft.set({ settlement });
      return { kind: "settle", how: settlement };
    }
    case "endLog":
      return state.logOpen ? endLog(state) : null;
    case "deriveVerdict":
      return state.logOpen ? { kind: "deriveVerdict", ceiling: ceilingOf(state) } : null;
    case "conclude":
      return state.asked.has("propose") ? conclude(state) : null;
    case "disarmReaper":
      return canDisarm(state) ? { kind: "disarmReaper" } : null;
    default:
      return { kind: stop.do };
  }
};

const endLog = (state: LifecycleState): Task | null =>
  state.ending && { kind: "endLog", ending: state.ending, doubts: state.doubts };

export const ceilingOf = (state: LifecycleState) =>
  verdictCeiling(state.ending ?? { kind: "halted", phase: "PLAN" }, state.settlement, state.doubts);

const conclude = (state: LifecycleState): Task => {
  if (state.verdict !== null) {
    return { kind: "conclude", outcome: { kind: "verdict", verdict: state.verdict } };
  }
  const code = state.ending === null ? "UNKNOWN" : endingCode(state.ending);
  return { kind: "conclude", outcome: { kind: "refused", code } };
};

/** An armed reaper is the last hope for what isn't known to be gone. */
const canDisarm = (state: LifecycleState): boolean =>
  state.asked.has("armReaper") && (!state.asked.has("createSlot") || isBodyGone(state));

const finish = (draft: Draft): void => {
  const { ending, verdict, settlement, doubts, asked } = draft.state;
  if (ending === null) return;
  draft.set({ done: true });
  draft.emit({
    kind: "done",
    result: { ending, verdict, settlement, doubts, bodyStarted: asked.has("spawnVmm") },
  });
};
