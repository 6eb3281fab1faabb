import type { Command } from "commander";

/** Verbs that start a machine for a command. */
export const RUN_VERBS: ReadonlySet<string> = new Set(["run", "shell"]);

/**
 * Whether a command's exit status is handed through, so that errors have numbers of their own.
 *
 * @param own the command line as far as it isn't the command's
 */
export const handsStatusThrough = (own: readonly string[]): boolean =>
  RUN_VERBS.has(own[0] ?? "") ||
  (own[0] === "lab" && own[1] === "appliance" && own.includes("--in-guest"));

/** A verb as the table in docs and code has it, such as "image build". */
export const verbName = (command: Command): string => {
  const { parent } = command;
  return parent?.parent == null ? command.name() : `${verbName(parent)} ${command.name()}`;
};
