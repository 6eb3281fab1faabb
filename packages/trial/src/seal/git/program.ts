import { existsSync } from "node:fs";
import { sealError } from "../errors.js";

/** The one git that is run: never one that a PATH names. */
export const GIT = "/usr/bin/git";

/** @throws DrydockError GIT_MISSING */
export const requireGitProgram = (): void => {
  if (existsSync(GIT)) return;
  throw sealError("GIT_MISSING", "git is not installed", { fix: "apt-get install git" });
};
