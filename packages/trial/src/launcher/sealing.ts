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
  SEAL_LIMITS,
  type SealedSource,
  type SourceRequest,
  sealSource,
} from "../seal/index.js";

export interface SealedInput {
  readonly source: SealedSource;
  /** The checkout that was sealed from, as it was just before; null for a URL or a bundle. */
  readonly before: CanonicalObservation | null;
  readonly path: string | null;
}

/** Seals a source with git behind its wall; what is written stays under `workspace`. */
export const sealInput = async (
  request: SourceRequest,
  workspace: string,
  native: string,
): Promise<SealedInput> => {
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
  return { source, before, path };
};

export const canonicalDigest = (observation: CanonicalObservation | null): string | null =>
  observation === null ? null : digestOfValue(JSON.parse(JSON.stringify(observation)) as JsonValue);

/** Looks at the checkout again, after everything. */
export const canonicalAfter = async (
  input: SealedInput | null,
): Promise<{ after: string | null; comparison: CanonicalComparison | null }> => {
  if (input?.path == null || input.before === null) return { after: null, comparison: null };
  const after = await observeCanonical(input.path, OBSERVATION_LIMITS);
  return { after: canonicalDigest(after), comparison: compareCanonical(input.before, after) };
};
