import { createHash } from "node:crypto";
import { type Artifact, artifactFile, parseArtifacts } from "../artifacts/artifacts.js";
import { digestOf } from "../digest/digest.js";
import { type Finding, finding, messageOf } from "../finding.js";
import type { RunDirectory } from "../run/directory.js";
import { ARTIFACTS_FILE, ARTIFACTS_FOLDER } from "../run/layout.js";
import type { Digest } from "../schema/common.js";

const MAX_LIST_BYTES = 32 * 1024 * 1024;

/**
 * Checks quarantined files against their list and the list against the digest that the verdict,
 * or without one the controller's log, commits. Says nothing about what is in them.
 *
 * @param concluded a verdict was signed, so that what it doesn't commit doesn't belong here.
 */
export const artifactFindings = (
  directory: RunDirectory,
  committed: Digest | null,
  concluded: boolean,
): readonly Finding[] => {
  const bytes = directory.read(ARTIFACTS_FILE, MAX_LIST_BYTES);
  if (bytes === null) {
    return committed === null ? extraFiles(directory, new Set()) : [missing(ARTIFACTS_FILE)];
  }
  if (committed === null && !concluded) {
    // A crash after collecting and before the next checkpoint leaves files that nothing signed.
    return [finding("ARTIFACT_UNCOMMITTED", ARTIFACTS_FILE, null, "nothing signed commits it")];
  }
  if (digestOf(bytes) !== committed) {
    return [finding("ARTIFACT_LIST", ARTIFACTS_FILE, null, "isn't the list that was committed")];
  }
  let artifacts: readonly Artifact[];
  try {
    artifacts = parseArtifacts(bytes).artifacts;
  } catch (error) {
    return [finding("ARTIFACT_LIST", ARTIFACTS_FILE, null, messageOf(error))];
  }
  const files = new Set(["artifacts.json", ...artifacts.map(artifactFile)]);
  return [
    ...artifacts.flatMap((artifact) => artifactFinding(directory, artifact)),
    ...extraFiles(directory, files),
  ];
};

const artifactFinding = (directory: RunDirectory, artifact: Artifact): readonly Finding[] => {
  const file = `${ARTIFACTS_FOLDER}/${artifactFile(artifact)}`;
  const chunks = directory.chunks(file, artifact.bytes);
  if (chunks === null) return [missing(file)];
  const hash = createHash("sha256");
  let size = 0;
  for (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
  }
  return size === artifact.bytes && `sha256:${hash.digest("hex")}` === artifact.digest
    ? []
    : [finding("ARTIFACT_DIGEST", file, null, "isn't the file that was collected")];
};

const extraFiles = (directory: RunDirectory, known: ReadonlySet<string>): readonly Finding[] =>
  (directory.list(ARTIFACTS_FOLDER) ?? [])
    .filter((name) => !known.has(name))
    .slice(0, 16)
    .map((name) => extra(ARTIFACTS_FOLDER, name));

export const missing = (file: string): Finding =>
  finding("FILE_MISSING", file, null, "is not there");

/** The name is in `at` only through JSON-safe characters; who made the file chose it. */
export const extra = (folder: string, name: string): Finding =>
  finding(
    "FILE_EXTRA",
    folder === "" ? "." : folder,
    printable(name),
    "belongs to no part of the evidence",
  );

const printable = (name: string): string =>
  name.slice(0, 100).replace(/[^A-Za-z0-9_.-]/g, "?") || "?";
