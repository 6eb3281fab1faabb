import { createHash } from "node:crypto";
import type { Digest } from "@drydock/evidence";
import { display } from "../seal/names/display.js";
import { type AdmissionPolicy, admit, EMPTY_ADMISSION } from "./admit.js";
import { TarError } from "./entry.js";
import type { RefusalRule, StopRule } from "./rule.js";
import type { ArtifactStore, ContentWatch } from "./store.js";
import { readTar, type TarMember } from "./tar-reader.js";

export interface ArtifactFinding {
  readonly rule: RefusalRule;
  /** Escaped and cut; for people only. */
  readonly path: string;
}

export interface CollectedFile {
  /** Path in the guest's tree. A label: the file itself is named by its digest. */
  readonly path: string;
  readonly bytes: number;
  readonly digest: Digest;
  readonly executable: boolean;
}

export interface Collection {
  readonly files: readonly CollectedFile[];
  /** Kept as data; no link is ever created from them here. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly findings: readonly ArtifactFinding[];
  /** Refused entries, those beyond the listed findings included. */
  readonly refused: number;
  /** Why the collection ended before the archive did; undefined when all of it was looked at. */
  readonly stopped: StopRule | undefined;
  /** Contents kept, in bytes. */
  readonly bytes: number;
}

export interface CollectPorts {
  readonly store: ArtifactStore;
  readonly watch?: ContentWatch;
}

/** Receipts of refusals; more are counted only. */
const MAX_FINDINGS = 256;

/**
 * Takes in the guest's archive: decides about each member by its header, stores what was accepted
 * under its digest, and records what was not. A hostile archive never makes this throw; a store
 * that fails does, and what was half written is discarded.
 */
export const collectArtifacts = async (
  source: AsyncIterable<Uint8Array>,
  policy: AdmissionPolicy,
  ports: CollectPorts,
): Promise<Collection> => {
  const files: CollectedFile[] = [];
  const links: { path: string; target: string }[] = [];
  const findings: ArtifactFinding[] = [];
  let refused = 0;
  let state = EMPTY_ADMISSION;
  const result = (stopped: StopRule | undefined): Collection => ({
    files,
    links,
    findings,
    refused,
    stopped,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  });

  try {
    for await (const member of readTar(source, policy.limits)) {
      const step = admit(state, member.entry, policy);
      state = step.state;
      const { admission } = step;
      switch (admission.kind) {
        case "stop":
          return result(admission.rule);
        case "refuse":
          refused += 1;
          if (findings.length < MAX_FINDINGS) {
            findings.push({ rule: admission.rule, path: display(member.entry.path) });
          }
          break;
        case "directory":
          break;
        case "link":
          links.push({ path: admission.path, target: admission.target });
          break;
        case "file":
          files.push({
            path: admission.path,
            bytes: member.entry.size,
            digest: await storeContents(member, admission.path, ports),
            executable: admission.executable,
          });
      }
    }
    return result(undefined);
  } catch (error) {
    if (error instanceof TarError) return result(error.rule);
    throw error;
  }
};

const storeContents = async (
  member: TarMember,
  path: string,
  ports: CollectPorts,
): Promise<Digest> => {
  const sink = await ports.store.begin();
  const look = ports.watch?.begin(path);
  const hash = createHash("sha256");
  try {
    for await (const chunk of member.contents) {
      hash.update(chunk);
      look?.(chunk);
      await sink.write(chunk);
    }
  } catch (error) {
    await sink.discard();
    throw error;
  }
  const name = hash.digest("hex");
  await sink.commit(name);
  return `sha256:${name}`;
};
