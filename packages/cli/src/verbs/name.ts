import type { Command } from "commander";

/** Verbs that hand a command's exit status through, and so have numbers of their own for errors. */
export const RUN_VERBS: ReadonlySet<string> = new Set(["run", "shell"]);

/** A verb as the table in docs and code has it, such as "image build". */
export const verbName = (command: Command): string => {
  const { parent } = command;
  return parent?.parent == null ? command.name() : `${verbName(parent)} ${command.name()}`;
};
