import type { ManifestSource } from "@drydock/evidence";
import type { SealedSource } from "./result.js";

/** The sealed source as the manifest states it. */
export const manifestSource = ({ identity, archive, notes }: SealedSource): ManifestSource => {
  const sealed = {
    archive: archive.digest,
    files: archive.counts.files + archive.counts.links,
    bytes: archive.counts.bytes,
  };
  if (identity.claim === "working-tree") {
    return { kind: "working-tree", head: identity.head ?? null, ...sealed };
  }
  const note = notes.find((each) => each.kind === "uncommitted");
  return {
    kind: "git",
    from: identity.from,
    url: identity.from === "url" ? (identity.remote ?? null) : null,
    bundle: identity.bundle ?? null,
    ref: identity.ref,
    commit: identity.commit,
    tree: identity.tree,
    ...sealed,
    uncommitted:
      note?.kind === "uncommitted"
        ? {
            digest: note.digest,
            count: note.staged + note.modified + note.untracked + note.conflicted,
          }
        : null,
  };
};
