import { gitEnvironment } from "./environment.js";
import { gitOptions } from "./options.js";
import { GIT } from "./program.js";
import type { GitCall } from "./runner.js";

/** The paths that a call's directories have where git runs. */
export interface GitLayout {
  readonly vault: string;
  readonly objects: string;
  readonly workTree: string;
}

export interface GitCommand {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The copied index's name inside a vault. */
export const VAULT_INDEX = "drydock-index";

/** Command line and environment of a call. The repository is named, never discovered. */
export const composeGitCommand = (call: GitCall, layout: GitLayout): GitCommand => ({
  argv: [
    GIT,
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    `--git-dir=${layout.vault}`,
    ...(call.workTree === undefined ? [] : [`--work-tree=${layout.workTree}`]),
    ...gitOptions(call.network),
    ...(call.workTree === undefined ? [] : ["-c", "core.bare=false"]),
    ...call.args,
  ],
  environment: {
    ...gitEnvironment(call.network),
    GIT_INDEX_FILE: `${layout.vault}/${VAULT_INDEX}`,
    ...(call.objects === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: layout.objects }),
  },
});
