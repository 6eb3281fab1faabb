import { advance, leaveDrive, leaveQuiet } from "./advance.js";
import { takeAnswer } from "./answer.js";
import { cancelCommand, requestCommand } from "./commands.js";
import { Draft } from "./draft.js";
import type { Effect } from "./effect.js";
import type { LifecycleEvent } from "./event.js";
import { abandonOutstanding, endRun } from "./finish.js";
import type { LifecycleState } from "./state.js";

export interface LifecycleStep {
  readonly state: LifecycleState;
  readonly effects: readonly Effect[];
}

/** The whole lifecycle of a run, one event at a time. Nothing happens after `done`. */
export const step = (state: LifecycleState, event: LifecycleEvent): LifecycleStep => {
  if (state.done) return { state, effects: [] };
  const draft = new Draft(state);
  take(draft, event);
  advance(draft);
  return { state: draft.state, effects: draft.effects };
};

const take = (draft: Draft, event: LifecycleEvent): void => {
  const phase = draft.state.phase ?? "PLAN";
  switch (event.type) {
    case "start":
      if (draft.state.waiting.kind === "start") draft.set({ waiting: { kind: "nothing" } });
      return;
    case "task":
      takeAnswer(draft, event.id, event.result);
      return;
    case "command":
      requestCommand(draft, event.command, event.verb);
      return;
    case "cancelCommand":
      cancelCommand(draft, event.command);
      return;
    case "finish":
      draft.set({ finishing: true });
      leaveDrive(draft);
      return;
    case "deadline":
      takeDeadline(draft, event.which);
      return;
    case "guest":
      takeGuest(draft, event);
      return;
    case "abort":
      endRun(draft, { kind: "aborted", phase, code: event.reason });
      return;
    case "halt":
      endRun(draft, { kind: "halted", phase });
      return;
    case "evidenceFailed":
      if (draft.state.ending === null) endRun(draft, { kind: "failed", phase, code: event.code });
      else draft.doubt(event.code);
      return;
  }
};

const takeDeadline = (draft: Draft, which: "wall" | "idle" | "phase" | "ending"): void => {
  if (which === "ending") {
    if (draft.state.ending !== null) loseAnswer(draft);
    return;
  }
  if (draft.state.ending !== null) return;
  draft.record({ type: "deadline.fired", decision: which });
  endRun(draft, { kind: "deadline", phase: draft.state.phase ?? "PLAN", which });
};

/** The present task of the ending counts as failed; so does everything that was called back. */
const loseAnswer = (draft: Draft): void => {
  const { waiting } = draft.state;
  if (waiting.kind === "task") {
    takeAnswer(draft, waiting.id, { ok: false, code: `UNANSWERED_${kindOf(draft, waiting.id)}` });
  }
  abandonOutstanding(draft);
  leaveQuiet(draft);
};

const kindOf = (draft: Draft, id: number): string => draft.state.out.get(id)?.task.kind ?? "task";

const takeGuest = (draft: Draft, event: Extract<LifecycleEvent, { type: "guest" }>): void => {
  if (draft.state.ending !== null) return;
  const phase = draft.state.phase ?? "PLAN";
  draft.record({ type: "guest.lost", reason: event.code });
  const kind = event.what === "violation" ? "violation" : "guestLost";
  endRun(draft, { kind, phase, code: event.code });
};
