import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sealError } from "../errors.js";
import { runGit, succeeded } from "../git/run.js";
import { display } from "../names/display.js";
import { locateRepository, type RepositoryLocation } from "../repository/locate.js";
import { readSmallFile } from "../repository/read-file.js";
import { offerRefs, readRefs } from "../repository/refs.js";
import { resolveRef } from "../repository/resolve-ref.js";
import { importCommit } from "../vault/import.js";
import { peelToCommit } from "../vault/peel.js";
import { createVault, formatOf, type Vault, vaultCall } from "../vault/vault.js";
import { archiveCommit } from "./archive-commit.js";
import { normaliseRemote } from "./check-url.js";
import type { SourceRequest } from "./request.js";
import type { SealedSource, SealNote, SealPorts } from "./result.js";
import { describeUncommitted } from "./uncommitted.js";

const CONFIG_BYTES = 1024 * 1024;
const SMALL_LIST_BYTES = 16 * 1024 * 1024;

/**
 * Seals a commit of a repository on this machine. Git never opens it as a repository: its refs are
 * read as data and its object store is lent to the vault, so nothing it configures takes effect.
 */
export const sealDirectory = async (
  request: Extract<SourceRequest, { kind: "directory" }>,
  ports: SealPorts,
): Promise<SealedSource> => {
  const location = locateRepository(request.path);
  const objects = join(location.commonDirectory, "objects");
  refuseAlternates(objects);
  const resolved = resolveRef(request.ref, offerRefs(readRefs(location)));
  const path = join(ports.workspace, "vault");
  const vault = createVault(path, formatOf(resolved.oid), ports.vaultOwner);
  const commit = await peelToCommit(ports.git, vault, ports.limits, resolved, objects);
  await importCommit(ports.git, vault, ports.limits, commit, {
    objects,
    partial: isPartial(objects),
  });
  const [sealed, remote, uncommitted] = await settleAll([
    archiveCommit(ports, vault, commit, location.prefix),
    originOf(ports, vault, location),
    describeUncommitted(ports, vault, location),
  ]);
  return {
    identity: {
      claim: "commit",
      from: "directory",
      commit,
      tree: sealed.tree,
      ref: resolved.ref,
      prefix: location.prefix,
      remote,
      bundle: undefined,
    },
    archive: sealed.archive,
    notes: [...uncommitted, ...shallowNote(location)],
  };
};

/** An alternate is a second store that the receipt would not name; the jail does not mount it. */
const refuseAlternates = (objects: string): void => {
  const listed = readSmallFile(join(objects, "info/alternates"), SMALL_LIST_BYTES);
  if (listed === undefined || listed.toString("latin1").trim() === "") return;
  throw sealError("SOURCE_ALTERNATES", `${display(objects)} borrows from another repository`, {
    fix: "run git repack -a -d and remove objects/info/alternates, or seal a plain clone",
  });
};

const isPartial = (objects: string): boolean => {
  const packs = join(objects, "pack");
  return (
    lstatSync(packs, { throwIfNoEntry: false })?.isDirectory() === true &&
    readdirSync(packs).some((name) => name.endsWith(".promisor"))
  );
};

const shallowNote = (location: RepositoryLocation): SealNote[] => {
  const shallow = readSmallFile(join(location.commonDirectory, "shallow"), SMALL_LIST_BYTES);
  return shallow === undefined || shallow.length === 0 ? [] : [{ kind: "shallow-source" }];
};

/** The configuration is handed to git on stdin, as data: no include in it is followed. */
const originOf = async (
  ports: SealPorts,
  vault: Vault,
  location: RepositoryLocation,
): Promise<string | undefined> => {
  const config = readSmallFile(join(location.commonDirectory, "config"), CONFIG_BYTES);
  if (config === undefined) return undefined;
  const args = ["config", "--file", "-", "--no-includes", "-z", "--get", "remote.origin.url"];
  const { stdout, exit } = await runGit(ports.git, vaultCall(vault, ports.limits, args), config);
  return succeeded(exit) ? normaliseRemote(stdout.toString("utf8").replace(/\0$/, "")) : undefined;
};

/** Like Promise.all, but no work is left running in the vault when one part fails. */
const settleAll = async <A, B, C>(
  parts: readonly [Promise<A>, Promise<B>, Promise<C>],
): Promise<[A, B, C]> => {
  await Promise.allSettled(parts);
  return Promise.all(parts);
};
