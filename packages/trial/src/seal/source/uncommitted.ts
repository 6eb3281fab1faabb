import { join } from "node:path";
import { digestOf } from "@drydock/evidence";
import { VAULT_INDEX } from "../git/command.js";
import { countUncommitted } from "../git/parse-status.js";
import { reason, runGit, succeeded } from "../git/run.js";
import type { RepositoryLocation } from "../repository/locate.js";
import { readSmallFile } from "../repository/read-file.js";
import { type Vault, vaultCall, writeToVault } from "../vault/vault.js";
import type { SealNote, SealPorts } from "./result.js";

const INDEX_BYTES = 256 * 1024 * 1024;
const EXCLUDE_BYTES = 1024 * 1024;

const STATUS = [
  "status",
  "--porcelain=v2",
  "-z",
  "--no-renames",
  "--untracked-files=all",
  // Status would otherwise run inside each submodule, with that submodule's configuration.
  "--ignore-submodules=all",
] as const;

/**
 * Counts what the work tree holds beyond the sealed commit. The index is a copy and the
 * configuration is the vault's, so neither fsmonitor nor a filter runs and no index is refreshed
 * in the checkout.
 */
export const describeUncommitted = async (
  ports: SealPorts,
  vault: Vault,
  location: RepositoryLocation,
): Promise<readonly SealNote[]> => {
  if (location.workTree === undefined) return [];
  const index = readSmallFile(join(location.gitDirectory, "index"), INDEX_BYTES);
  if (index !== undefined) writeToVault(vault, VAULT_INDEX, index);
  const exclude = readSmallFile(join(location.commonDirectory, "info/exclude"), EXCLUDE_BYTES);
  if (exclude !== undefined) writeToVault(vault, "info/exclude", exclude);
  const { stdout, exit } = await runGit(
    ports.git,
    vaultCall(vault, ports.limits, STATUS, { workTree: location.workTree }),
  );
  if (!succeeded(exit)) return [{ kind: "uncommitted-unknown", reason: reason(exit) }];
  const counts = countUncommitted(stdout.toString("latin1"));
  if (counts === undefined) {
    return [{ kind: "uncommitted-unknown", reason: "git status answered in an unknown form" }];
  }
  const clean = Object.values(counts).every((count) => count === 0);
  return clean ? [] : [{ kind: "uncommitted", digest: digestOf(stdout), ...counts }];
};
