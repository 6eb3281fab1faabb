import { sealError } from "../errors.js";
import { parseBatchHeader } from "../git/parse-object.js";
import { requireGit } from "../git/run.js";
import type { GitRunner } from "../git/runner.js";
import type { SealLimits } from "../limits.js";
import { display } from "../names/display.js";
import type { ResolvedRef } from "../repository/resolve-ref.js";
import { type Vault, vaultCall } from "./vault.js";

/**
 * The commit that an object id means, annotated tags followed. `objects` is the store to look in
 * beside the vault's own.
 *
 * @throws REF_NOT_FOUND when there is no such object, REF_NOT_A_COMMIT when it is something else.
 */
export const peelToCommit = async (
  runner: GitRunner,
  vault: Vault,
  limits: SealLimits,
  resolved: ResolvedRef,
  objects?: string,
): Promise<string> => {
  const output = await requireGit(
    runner,
    vaultCall(
      vault,
      limits,
      ["cat-file", "--batch-check"],
      objects === undefined ? {} : { objects },
    ),
    `${resolved.oid}\n${resolved.oid}^{commit}\n`,
  );
  const [self, commit] = output.toString("latin1").split("\n").slice(0, 2).map(parseBatchHeader);
  if (self?.kind !== "object") {
    throw sealError("REF_NOT_FOUND", `the source does not hold ${display(resolved.ref)}`, {
      fix: "fetch it into the source first, or name another --ref",
    });
  }
  if (commit?.kind === "object") return commit.oid;
  throw sealError("REF_NOT_A_COMMIT", `${display(resolved.ref)} is a ${self.type}, not a commit`, {
    fix: "name a branch, a tag of a commit, or a commit id",
  });
};
