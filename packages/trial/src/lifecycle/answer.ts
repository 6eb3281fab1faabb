import { haltGate } from "@drydock/ledger";
import { ceilingOf, leaveDrive, leaveQuiet } from "./advance.js";
import { dispatchCommand, endCommand } from "./commands.js";
import type { Draft } from "./draft.js";
import type { Task } from "./effect.js";
import { capVerdict } from "./ending.js";
import type { TaskResult, TaskValue } from "./event.js";
import { endRun, withoutVerdict } from "./finish.js";
import type { Stop } from "./route.js";
import type { OutTask } from "./state.js";

/** Takes the answer to a task. An answer that nobody waits for any more is ignored. */
export const takeAnswer = (draft: Draft, id: number, result: TaskResult): void => {
  const out = draft.state.out.get(id);
  if (out === undefined) return;
  draft.forget(id);
  const { waiting } = draft.state;
  const onTheWay = waiting.kind === "task" && waiting.id === id;
  if (onTheWay) draft.set({ waiting: { kind: "nothing" } });

  const code = result.ok ? learn(draft, out, result.value) : result.code;
  if (code !== null) failed(draft, out, code, onTheWay);
  leaveDrive(draft);
  leaveQuiet(draft);
};

/** Keeps what the answer says. Returns why it isn't good enough, or null. */
const learn = (draft: Draft, out: OutTask, value: TaskValue): string | null => {
  const { task, command } = out;
  switch (task.kind) {
    case "sealSource":
      if (value.kind !== "sealed") return WRONG_ANSWER;
      draft.set({ manifest: value.manifest });
      return null;
    case "openLog":
      draft.openLog();
      return null;
    case "checkHalt":
      return value.kind === "halt" ? learnHalt(draft, task, command, value.reading) : WRONG_ANSWER;
    case "reserve":
      if (value.kind !== "reserved") return WRONG_ANSWER;
      draft.set({ reservedAt: value.haltGeneration });
      return null;
    case "grantChannel":
      return learnGrant(draft, task.channel);
    case "revokeChannel":
      draft.set({ granted: draft.state.granted.filter((channel) => channel !== task.channel) });
      return null;
    case "spawnVmm":
      if (isStopped(draft)) insert(draft, { phase: "DESTROY", do: "stopGuest", mode: "kill" });
      return null;
    case "command":
      if (command !== null) endCommand(draft, command);
      return null;
    case "destroySlot":
      if (value.kind !== "destroyed") return WRONG_ANSWER;
      draft.set({ gone: value.gone });
      return value.gone ? null : "LEFTOVERS";
    case "deriveVerdict":
      if (value.kind !== "verdict") return WRONG_ANSWER;
      draft.set({ verdict: capVerdict(value.verdict, ceilingOf(draft.state)) });
      return null;
    default:
      return null;
  }
};

const WRONG_ANSWER = "WRONG_ANSWER";

const learnHalt = (
  draft: Draft,
  task: Extract<Task, { kind: "checkHalt" }>,
  command: string | null,
  reading: { readonly halted: boolean; readonly generation: number },
): null => {
  const clear = haltGate(reading, draft.state.reservedAt) === "open";
  draft.record({
    type: "halt.checked",
    decision: clear ? "clear" : "halted",
    at: task.before,
    generation: reading.generation,
  });
  if (!clear) endRun(draft, { kind: "halted", phase: draft.state.phase ?? "PLAN" });
  else if (command !== null && draft.state.ending === null) dispatchCommand(draft, command);
  return null;
};

/** A grant that arrives after the doors were shut is shut again before anything is destroyed. */
const learnGrant = (draft: Draft, channel: string): null => {
  if (draft.state.ending === null) draft.set({ granted: [...draft.state.granted, channel] });
  else if (!draft.state.asked.has("destroySlot")) {
    insert(draft, { phase: draft.state.phase ?? "DESTROY", do: "revokeChannels" });
  }
  return null;
};

const isStopped = ({ state }: Draft): boolean =>
  state.ending !== null && state.asked.has("stopGuest") && !state.asked.has("destroySlot");

/** Puts a stop before everything ahead; a wait for quiet is taken up again after it. */
const insert = (draft: Draft, stop: Stop): void => {
  const { ahead, waiting, phase } = draft.state;
  const here = { ...stop, phase: phase ?? stop.phase };
  if (waiting.kind === "quiet") {
    draft.set({
      ahead: [here, { phase: "DESTROY", do: "awaitQuiet" }, ...ahead],
      waiting: { kind: "nothing" },
    });
  } else {
    draft.set({ ahead: [here, ...ahead] });
  }
};

const failed = (draft: Draft, out: OutTask, code: string, onTheWay: boolean): void => {
  const { state } = draft;
  const phase = state.phase ?? "PLAN";
  if (out.command !== null) endCommand(draft, out.command);
  if (state.ending === null) {
    draft.record({ type: "phase", decision: "failed", name: phase });
    endRun(draft, { kind: "failed", phase, code });
    return;
  }
  // Called back when the run ended: that it didn't succeed is what was wanted.
  if (!onTheWay) return;
  draft.doubt(code);
  if (out.task.kind === "settle") draft.set({ settlement: "hold" });
  withoutVerdict(draft, out.task.kind);
};
