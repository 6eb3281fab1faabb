import { type Digest, digestOfValue } from "@drydock/evidence";
import { PAYLOAD_KINDS } from "./model.js";
import type { ArtifactDocument } from "./schema.js";

/** SHA-256 of the RFC 8785 form of what runs, sorted by id. */
export const payloadDigestOf = (artifacts: readonly ArtifactDocument[]): Digest =>
  digestOfValue(
    artifacts
      .filter(({ kind }) => PAYLOAD_KINDS.includes(kind))
      .sort((a, b) => (a.artifact_id < b.artifact_id ? -1 : 1)),
  );
