import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { digestOfValue, type JsonValue } from "@drydock/evidence";
import { SEALER_UID } from "@drydock/vm";
import {
  type CanonicalComparison,
  type CanonicalObservation,
  compareCanonical,
  findSystemPaths,
  jailedGitRunner,
  OBSERVATION_LIMITS,
  observeCanonical,
  requireGitProgram,
  SEAL_LIMITS,
  type SealedSource,
  type SourceRequest,
  sealSource,
} from "../seal/index.js";

/** What was sealed, and where from, if that is a place that may not have changed at the end. */
export interface SealedInput {
  readonly source: SealedSource;
  /** Digest of the checkout as it was just before; null for a URL or a bundle. */
  readonly canonical: string | null;
  /** Looks at the checkout again, after everything. */
  lookAgain(): Promise<CanonicalAfter>;
}

export interface CanonicalAfter {
  readonly after: string | null;
  readonly comparison: CanonicalComparison | null;
}

/** Seals a source with git behind its wall; what is written stays under `workspace`. */
export const sealInput = async (
  request: SourceRequest,
  workspace: string,
  native: string,
): Promise<SealedInput> => {
  requireGitProgram();
  const path =
    request.kind === "directory" || request.kind === "working-tree" ? request.path : null;
  const before = path === null ? null : await observeCanonical(path, OBSERVATION_LIMITS);
  const root = join(workspace, "git-root");
  mkdirSync(root, { mode: 0o700 });
  const source = await sealSource(request, {
    git: jailedGitRunner({ launcher: native, root, system: findSystemPaths() }),
    vaultOwner: { uid: SEALER_UID, gid: SEALER_UID },
    workspace,
    limits: SEAL_LIMITS,
  });
  return {
    source,
    canonical: before === null ? null : canonicalDigest(before),
    lookAgain: async () => {
      if (path === null || before === null) return { after: null, comparison: null };
      const after = await observeCanonical(path, OBSERVATION_LIMITS);
      return { after: canonicalDigest(after), comparison: compareCanonical(before, after) };
    },
  };
};

const canonicalDigest = (observation: CanonicalObservation): string =>
  digestOfValue(JSON.parse(JSON.stringify(observation)) as JsonValue);
