import type { Draft } from "./draft.js";
import type { CommandRejection, CommandVerb } from "./effect.js";
import { MAX_CONCURRENT_COMMANDS } from "./plan.js";

/** Each command looks at the halt state by itself before it is dispatched. */
export const requestCommand = (draft: Draft, command: string, verb: CommandVerb): void => {
  const rejection = rejectionOf(draft, command);
  if (rejection !== null) {
    draft.emit({ kind: "rejectCommand", command, code: rejection });
    return;
  }
  setCommands(draft, (commands) => commands.set(command, { verb, stage: "checking" }));
  draft.ask({ kind: "checkHalt", before: `dispatch:${verb}` }, command);
};

export const dispatchCommand = (draft: Draft, command: string): void => {
  const known = draft.state.commands.get(command);
  if (known === undefined) return;
  setCommands(draft, (commands) => commands.set(command, { ...known, stage: "running" }));
  draft.ask({ kind: "command", command, verb: known.verb }, command);
};

export const endCommand = (draft: Draft, command: string): void =>
  setCommands(draft, (commands) => {
    commands.delete(command);
  });

export const cancelCommand = (draft: Draft, command: string): void => {
  for (const [id, out] of draft.state.out) {
    if (out.command === command) draft.emit({ kind: "cancelTask", id });
  }
};

const rejectionOf = ({ state }: Draft, command: string): CommandRejection | null => {
  if (state.waiting.kind !== "commands" || state.finishing) return "NOT_DRIVING";
  if (state.commands.has(command)) return "DUPLICATE_COMMAND";
  return state.commands.size >= MAX_CONCURRENT_COMMANDS ? "TOO_MANY_COMMANDS" : null;
};

type Commands = Map<string, { verb: CommandVerb; stage: "checking" | "running" }>;

const setCommands = (draft: Draft, change: (commands: Commands) => unknown): void => {
  const commands: Commands = new Map(draft.state.commands);
  change(commands);
  draft.set({ commands });
};
