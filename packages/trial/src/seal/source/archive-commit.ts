import { join } from "node:path";
import { checkNotLfsPointer, checkSealedLink, LFS_POINTER_BYTES } from "../archive/check-entry.js";
import { type PlannedEntry, planArchive } from "../archive/plan.js";
import { archiveTime } from "../archive/time.js";
import { ArchiveWriter, type SealedArchive } from "../archive/writer.js";
import { sealError } from "../errors.js";
import { parseCommit } from "../git/parse-object.js";
import { parseTreeListing } from "../git/parse-tree.js";
import { requireGit } from "../git/run.js";
import type { SealLimits } from "../limits.js";
import { display } from "../names/display.js";
import { ObjectReader } from "../vault/objects.js";
import { checkSubmodules } from "../vault/submodules.js";
import { type Vault, vaultCall } from "../vault/vault.js";
import type { SealPorts } from "./result.js";

/** Writes the archive of one commit's tree below `prefix`, from the vault's objects alone. */
export const archiveCommit = async (
  ports: SealPorts,
  vault: Vault,
  commit: string,
  prefix: string,
): Promise<{ readonly archive: SealedArchive; readonly tree: string }> => {
  const listing = await requireGit(
    ports.git,
    vaultCall(vault, ports.limits, ["ls-tree", "-r", "-l", "-z", "--full-tree", commit]),
  );
  const plan = planArchive(parseTreeListing(listing), prefix, ports.limits);
  if (plan.length === 0 && prefix !== "") throw wrongParent(prefix, commit);

  const objects = new ObjectReader(ports.git, vault, ports.limits);
  let writer: ArchiveWriter | undefined;
  try {
    objects.ask([commit]);
    const header = parseCommit(await objects.readWhole(commit, "commit"));
    writer = await ArchiveWriter.create(
      join(ports.workspace, "source.tar"),
      archiveTime(header.time),
    );
    await writeMembers(ports, vault, objects, plan, writer);
    await objects.end();
    return { archive: await writer.finish(), tree: header.tree };
  } catch (error) {
    objects.stop();
    await writer?.abandon();
    throw error;
  }
};

const writeMembers = async (
  ports: SealPorts,
  vault: Vault,
  objects: ObjectReader,
  plan: readonly PlannedEntry[],
  writer: ArchiveWriter,
): Promise<void> => {
  objects.ask(plan.flatMap((entry) => (entry.kind === "directory" ? [] : [entry.oid])));
  const paths = new Set(plan.map(({ path }) => path));
  for (const entry of plan) {
    switch (entry.kind) {
      case "directory":
        await writer.add(entry);
        break;
      case "link": {
        checkTargetSize(entry.path, entry.size, ports.limits);
        const target = await objects.readWhole(entry.oid, "blob", entry.size);
        const checked = checkSealedLink(entry.path, target, ports.limits);
        await writer.add({ kind: "link", path: entry.path, target: checked });
        break;
      }
      case "file": {
        if (entry.size >= LFS_POINTER_BYTES && !isGitmodules(entry)) {
          await writer.add(entry, objects.read(entry.oid, "blob", entry.size));
          break;
        }
        const contents = await objects.readWhole(entry.oid, "blob", entry.size);
        checkNotLfsPointer(entry.path, contents);
        if (isGitmodules(entry)) {
          await checkSubmodules(ports.git, vault, ports.limits, contents, (path) =>
            paths.has(path),
          );
        }
        await writer.add(entry, whole(contents));
      }
    }
  }
};

/** Read whole, hence only below a size that no real one has. */
const isGitmodules = (entry: { readonly path: string; readonly size: number }): boolean =>
  entry.path === ".gitmodules" && entry.size <= GITMODULES_BYTES;

const GITMODULES_BYTES = 1024 * 1024;

/** Before it is read: a link's target is held in memory. */
const checkTargetSize = (path: string, size: number, limits: SealLimits): void => {
  if (size <= limits.linkBytes) return;
  throw sealError("SYMLINK_REFUSED", `${display(path)}: its target has ${size} bytes`, {
    fix: "point it to a path inside the sealed tree, or remove it",
  });
};

async function* whole(contents: Buffer): AsyncGenerator<Buffer> {
  yield contents;
}

const wrongParent = (prefix: string, commit: string): Error =>
  sealError(
    "WRONG_PARENT_REPOSITORY",
    `the repository above holds nothing at ${display(prefix)} in ${commit}`,
    { fix: "run git init here and commit, or seal the files as they are with --working-tree" },
  );
