import type { Draft } from "./draft.js";
import type { Settlement, TaskKind } from "./effect.js";
import { capVerdict, type Ending } from "./ending.js";
import { END_ROUTE, KILL_ROUTE, ORDERLY_STOP } from "./route.js";
import type { LifecycleState } from "./state.js";

/**
 * Leaves the way forward for the way out. A run that may have a body goes through KILLING; what is
 * still out is called back, and nothing new is asked for but what ends the run.
 */
export const endRun = (draft: Draft, ending: Ending): void => {
  if (draft.state.ending !== null) return;
  draft.set({ ending });
  draft.cancelAll();
  const orderly = ending.kind === "completed";
  const killing = !orderly && draft.state.asked.has("spawnVmm");
  draft.set({
    ahead: [...(orderly ? ORDERLY_STOP : killing ? KILL_ROUTE : []), ...END_ROUTE],
    waiting: { kind: "nothing" },
  });
};

/** Tasks that may still bring something into being after everything was thought destroyed. */
const CREATES: ReadonlySet<TaskKind> = new Set([
  "createSlot",
  "stageFiles",
  "spawnVmm",
  "startGuest",
]);

/** One task of the ending took too long: go on without the answer, and remember that. */
export const abandonOutstanding = (draft: Draft): void => {
  for (const [id, { task, command }] of draft.state.out) {
    draft.forget(id);
    if (command === null) draft.doubt(`UNANSWERED_${task.kind}`);
    withoutVerdict(draft, task.kind);
    if (CREATES.has(task.kind)) draft.doubt(MAY_COME_INTO_BEING);
  }
};

/**
 * A verdict that wasn't signed, or that the ledger didn't take, is none to rely on: whoever finds
 * the open row later gives the run up, and says so in its evidence.
 */
export const withoutVerdict = (draft: Draft, task: TaskKind): void => {
  const { verdict, settlement } = draft.state;
  const best = settlement === "hold" ? "UNCERTAIN" : "INCOMPLETE";
  if (task === "deriveVerdict" || (task === "conclude" && verdict !== null))
    draft.set({ verdict: capVerdict(verdict ?? "PASS", best) });
};

const MAY_COME_INTO_BEING = "MAY_COME_INTO_BEING";

export const isBodyGone = (state: LifecycleState): boolean =>
  state.gone && !state.doubts.includes(MAY_COME_INTO_BEING);

/** What was asked for counts as done: only an observation ends the obligation. */
export const settlementOf = (state: LifecycleState): Settlement => {
  if (state.asked.has("spawnVmm")) return isBodyGone(state) ? "settle" : "hold";
  return state.asked.has("propose") ? "release" : "nothing";
};
