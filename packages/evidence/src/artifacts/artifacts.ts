import { canonicalBytes } from "../json/canonical.js";
import { parseCanonical } from "../json/parse-canonical.js";
import { digest } from "../schema/common.js";
import { array, integer, literal, object, rule, type Shape, text } from "../schema/reader.js";

export const ARTIFACTS_SCHEMA = "drydock.artifacts/v1";
/** Twice what the manifest's default allows a thousand times over; bounds the parser. */
const MAX_ARTIFACTS = 65_536;
const MAX_BYTES = 32 * 1024 * 1024;

const listReader = object({
  schema: literal(ARTIFACTS_SCHEMA),
  artifacts: rule(
    array(
      object({
        /** Path in the guest's tree, relative. A label: the file itself is named by its digest. */
        path: text(4096, 1),
        bytes: integer(0),
        digest,
      }),
      MAX_ARTIFACTS,
    ),
    (items) =>
      items.every((item, index) => {
        const next = items[index + 1];
        return next === undefined || item.path < next.path;
      })
        ? null
        : "paths must be sorted and differ",
  ),
});

export type ArtifactList = Shape<typeof listReader>;
export type Artifact = ArtifactList["artifacts"][number];
export const artifactsSchema = listReader.schema;

/** File name of an artifact inside `artifacts/`: the hexadecimal part of its digest. */
export const artifactFile = (artifact: Pick<Artifact, "digest">): string =>
  artifact.digest.slice("sha256:".length);

/** @throws JsonError, ShapeError */
export const parseArtifacts = (bytes: Uint8Array): ArtifactList =>
  listReader.read(
    parseCanonical(bytes, { maxBytes: MAX_BYTES, maxNodes: 4 * MAX_ARTIFACTS + 8 }),
    "artifacts",
  );

/** Contents of `artifacts/artifacts.json`. */
export const artifactsBytes = (artifacts: readonly Artifact[]): Buffer => {
  const sorted = [...artifacts].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const bytes = canonicalBytes({ schema: ARTIFACTS_SCHEMA, artifacts: sorted });
  parseArtifacts(bytes);
  return bytes;
};
