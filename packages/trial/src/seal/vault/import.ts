import { pipeline } from "node:stream/promises";
import { sealError } from "../errors.js";
import { reason, requireSuccess, succeeded, waitForAll } from "../git/run.js";
import type { GitRunner } from "../git/runner.js";
import type { SealLimits } from "../limits.js";
import { sealCommitAsRoot, type Vault, vaultCall } from "./vault.js";

const INDEX_PACK = ["index-pack", "--stdin", "--strict"] as const;

/**
 * Copies one commit and all that its tree needs from another object store into the vault. The
 * store is read as objects only; every object is hashed, parsed and linked again on arrival.
 *
 * @throws SOURCE_CORRUPT, SOURCE_PARTIAL
 */
export const importCommit = async (
  runner: GitRunner,
  vault: Vault,
  limits: SealLimits,
  commit: string,
  source: { readonly objects: string; readonly partial: boolean },
): Promise<void> => {
  sealCommitAsRoot(vault, commit);
  const pack = runner(
    vaultCall(
      vault,
      limits,
      ["pack-objects", "--stdout", "--revs", "--window=0", "--delta-base-offset", "-q"],
      { objects: source.objects, outputBytes: limits.packBytes },
    ),
  );
  pack.stdin.end(`--shallow ${commit}\n${commit}\n`);
  const index = runner(vaultCall(vault, limits, maxInput(limits)));
  index.stdout.resume();
  const copied = pipeline(pack.stdout, index.stdin).catch(() => {
    // A pipe breaks because one of the two has ended; how it ended is judged below.
  });
  const results = await waitForAll([
    { name: "pack-objects", git: pack },
    { name: "index-pack", git: index },
  ]);
  await copied;
  for (const { name, exit } of results) {
    if (exit.kind !== "exited") requireSuccess(exit, name);
    if (succeeded(exit)) continue;
    throw source.partial
      ? sealError("SOURCE_PARTIAL", `the partial clone lacks objects of ${commit}`, {
          fix: "run git fetch --refetch --no-filter in the source, or seal a full clone",
        })
      : sealError("SOURCE_CORRUPT", `objects of ${commit}: ${reason(exit)}`, {
          fix: "run git fsck in the source",
        });
  }
};

/** Takes in a pack as it stands, for example a bundle's. @throws BUNDLE_BAD */
export const importPack = async (
  runner: GitRunner,
  vault: Vault,
  limits: SealLimits,
  bytes: AsyncIterable<Buffer>,
): Promise<void> => {
  const index = runner(vaultCall(vault, limits, maxInput(limits)));
  index.stdout.resume();
  await pipeline(bytes, index.stdin).catch(() => {
    // As above: index-pack tells why it stopped reading.
  });
  const exit = await index.exit;
  if (exit.kind !== "exited") requireSuccess(exit, "index-pack");
  if (succeeded(exit)) return;
  throw sealError("BUNDLE_BAD", `the pack was refused: ${reason(exit)}`, {
    fix: "create it again with git bundle create FILE --all",
  });
};

const maxInput = (limits: SealLimits): string[] => [
  ...INDEX_PACK,
  `--max-input-size=${limits.packBytes}`,
];
