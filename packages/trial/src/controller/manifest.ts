import {
  digestOfValue,
  MANIFEST_SCHEMA,
  type Manifest,
  type ManifestSource,
  plainRunGates,
} from "@drydock/evidence";
import type { Inputs, Order } from "../contract/index.js";
import type { SealedSource } from "../seal/index.js";

/** Everything that decides what the run is, before anything of it exists. */
export const composeManifest = (order: Order, inputs: Inputs, created: string): Manifest => ({
  schema: MANIFEST_SCHEMA,
  run: order.run,
  created,
  scenario: null,
  command:
    order.command === null
      ? null
      : { ...order.command, argv: [...order.command.argv], stdin: null },
  source: sourceOf(inputs.source),
  image: inputs.image,
  vmm: inputs.vmm,
  snapshot: inputs.snapshot,
  topology: inputs.topology,
  limits: {
    ...order.limits,
    vmmPids: inputs.vmmPids,
    vmmMemoryBytes: inputs.vmmMemoryBytes,
  },
  build: inputs.build,
  policy: null,
  prices: null,
  tests: null,
  fixtures: null,
  artifacts: [...order.artifacts],
  tier: null,
  gates: plainRunGates(),
});

const sourceOf = (sealed: SealedSource | null): ManifestSource => {
  if (sealed === null) return { kind: "none" };
  const { digest: archive, bytes, counts } = sealed.archive;
  const files = counts.files;
  const { identity } = sealed;
  switch (identity.claim) {
    case "working-tree":
      return { kind: "working-tree", head: null, archive, files, bytes };
    case "commit": {
      const uncommitted = sealed.notes.find((note) => note.kind === "uncommitted");
      return {
        kind: "git",
        from:
          identity.bundle !== undefined
            ? "bundle"
            : identity.remote !== undefined
              ? "url"
              : "directory",
        url: identity.remote ?? null,
        bundle: identity.bundle ?? null,
        ref: identity.ref,
        commit: identity.commit,
        tree: identity.tree,
        archive,
        files,
        bytes,
        uncommitted:
          uncommitted === undefined
            ? null
            : {
                digest: digestOfValue({
                  modified: uncommitted.modified,
                  staged: uncommitted.staged,
                  untracked: uncommitted.untracked,
                }),
                count: Math.max(
                  1,
                  uncommitted.modified + uncommitted.staged + uncommitted.untracked,
                ),
              },
      };
    }
  }
};
