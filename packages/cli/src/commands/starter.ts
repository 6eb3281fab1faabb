import type { RunSpec } from "@drydock/trial";
import type { ExecOptions, Lab } from "../sdk/types.js";
import type { Progress } from "../terminal/progress.js";
import { visible } from "../terminal/sanitise.js";

/** Who starts a run's command in the guest: the agent, or a program that is put there to do so. */
export interface Starter {
  /** What is sealed and started, for the command that was asked for. */
  argv(command: readonly string[]): readonly string[];
  /** Puts into the guest what it needs, before anything runs there. */
  provide(lab: Lab, spec: RunSpec): Promise<void>;
  /** As whom it is started, and with which environment. */
  as(spec: RunSpec): Required<Pick<ExecOptions, "env" | "user">>;
}

/** The agent starts the command as it is. */
export const DIRECTLY: Starter = {
  argv: (command) => command,
  provide: async () => undefined,
  as: ({ env, user }) => ({ env, user: `${user.uid}:${user.gid}` }),
};

/** Whether a starter has what it needs. Where not, no report says why: the run did what it was asked. */
export const isProvided = async (
  starter: Starter,
  lab: Lab,
  spec: RunSpec,
  progress: Progress,
): Promise<boolean> => {
  try {
    await starter.provide(lab, spec);
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    progress.note(`what the command needs couldn't be put into the guest: ${visible(why)}`);
    return false;
  }
};
