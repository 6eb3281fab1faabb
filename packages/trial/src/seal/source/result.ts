import type { Digest } from "@drydock/evidence";
import type { SealedArchive } from "../archive/writer.js";
import type { Uncommitted } from "../git/parse-status.js";
import type { GitRunner } from "../git/runner.js";
import type { SealLimits } from "../limits.js";
import type { VaultOwner } from "../vault/vault.js";

/** What sealing needs from outside. */
export interface SealPorts {
  readonly git: GitRunner;
  /** Who git runs as, when that is not the caller: the vault is made theirs. */
  readonly vaultOwner?: VaultOwner;
  /**
   * An existing directory for the vault and the archive, private to the caller, who removes it.
   * It holds nothing named `vault` or `source.tar` yet.
   */
  readonly workspace: string;
  readonly limits: SealLimits;
}

export type SealNote =
  /** `digest` is of git's own list of them, so that two notes can be told apart. */
  | ({ readonly kind: "uncommitted"; readonly digest: Digest } & Uncommitted)
  /** Git could not compare the work tree with the commit. */
  | { readonly kind: "uncommitted-unknown"; readonly reason: string }
  /** The source has no history beyond some depth; the sealed commit itself is complete. */
  | { readonly kind: "shallow-source" }
  /** Fetched over a protocol that authenticates nobody; the commit id still binds the contents. */
  | { readonly kind: "unauthenticated-remote" };

export type SealedIdentity =
  | {
      readonly claim: "commit";
      readonly from: "directory" | "url" | "bundle";
      /** Full object id. */
      readonly commit: string;
      readonly tree: string;
      /** The full ref name that led to the commit, or its id. */
      readonly ref: string;
      /** The part of the tree that was sealed, "" for all. */
      readonly prefix: string;
      /** Where it comes from, as the source claims; never with credentials. */
      readonly remote: string | undefined;
      /** SHA-256 of the bundle file, when the source was one. */
      readonly bundle: Digest | undefined;
    }
  | {
      /** The weaker claim: these bytes were there. It names no commit and is eligible for no tier. */
      readonly claim: "working-tree";
      /** HEAD's commit at that time, undefined outside a repository. */
      readonly head: string | undefined;
    };

export interface SealedSource {
  readonly identity: SealedIdentity;
  readonly archive: SealedArchive;
  readonly notes: readonly SealNote[];
}

/** Only a commit can be named by somebody else; files as they were can't. */
export const isEligibleForTier = (sealed: SealedSource): boolean =>
  sealed.identity.claim === "commit";
