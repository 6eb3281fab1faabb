import { sealError } from "../errors.js";
import { requireGit } from "../git/run.js";
import type { GitRunner } from "../git/runner.js";
import type { SealLimits } from "../limits.js";
import { display } from "../names/display.js";
import { type Vault, vaultCall } from "./vault.js";

/**
 * Refuses a `.gitmodules` that names a submodule for which the tree holds neither a commit nor
 * files. (A submodule with a commit was refused before, with its own code.)
 *
 * @throws SUBMODULE_UNPINNED
 */
export const checkSubmodules = async (
  runner: GitRunner,
  vault: Vault,
  limits: SealLimits,
  gitmodules: Buffer,
  has: (path: string) => boolean,
): Promise<void> => {
  // Listed and filtered here: --get-regexp exits with 1 when there is no match.
  const listed = await requireGit(
    runner,
    vaultCall(vault, limits, ["config", "--file", "-", "--no-includes", "-z", "--list"]),
    gitmodules,
  );
  for (const item of listed.toString("utf8").split("\0")) {
    const path = /^submodule\..*\.path\n(.*)$/s.exec(item)?.[1];
    if (path === undefined || has(path.replace(/\/+$/, ""))) continue;
    throw sealError("SUBMODULE_UNPINNED", `.gitmodules names ${display(path)} without a commit`, {
      fix: "remove the entry, or commit the files at that path",
    });
  }
};
