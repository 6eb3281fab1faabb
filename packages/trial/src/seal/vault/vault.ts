import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GitCall } from "../git/runner.js";
import type { SealLimits } from "../limits.js";

export type ObjectFormat = "sha1" | "sha256";

/** User and group that git runs as; undefined where that is the caller's own. */
export interface VaultOwner {
  readonly uid: number;
  readonly gid: number;
}

/** A bare repository of our own making: no template, no hook, a configuration of three lines. */
export interface Vault {
  readonly path: string;
  readonly format: ObjectFormat;
  readonly owner: VaultOwner | undefined;
}

export const formatOf = (oid: string): ObjectFormat => (oid.length === 64 ? "sha256" : "sha1");

/** Creates the vault in a directory that must not exist yet. */
export const createVault = (
  path: string,
  format: ObjectFormat,
  owner: VaultOwner | undefined,
): Vault => {
  const vault: Vault = { path, format, owner };
  for (const directory of ["", "objects", "objects/info", "objects/pack", "refs", "info"]) {
    mkdirSync(join(path, directory), { mode: 0o700 });
    own(vault, directory);
  }
  writeToVault(vault, "HEAD", "ref: refs/heads/drydock-none\n");
  writeToVault(
    vault,
    "config",
    format === "sha1"
      ? "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
      : "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
  );
  return vault;
};

/** Writes one file of the vault as data. */
export const writeToVault = (vault: Vault, name: string, contents: string | Buffer): void => {
  writeFileSync(join(vault.path, name), contents, { mode: 0o600 });
  own(vault, name);
};

/**
 * Declares a commit to have no parents here, so that a vault with one commit's tree is complete
 * (gitrepository-layout(5), "shallow").
 */
export const sealCommitAsRoot = (vault: Vault, commit: string): void => {
  writeToVault(vault, "shallow", `${commit}\n`);
  writeToVault(vault, "HEAD", `${commit}\n`);
};

/** A call on the vault alone: no network, no other object store. */
export const vaultCall = (
  vault: Vault,
  limits: SealLimits,
  args: readonly string[],
  extra: Partial<GitCall> = {},
): GitCall => ({
  args,
  vault: vault.path,
  network: "none",
  deadlineMs: limits.gitMs,
  outputBytes: limits.listingBytes,
  ...extra,
});

const own = (vault: Vault, name: string): void => {
  if (vault.owner !== undefined) {
    chownSync(join(vault.path, name), vault.owner.uid, vault.owner.gid);
  }
};
