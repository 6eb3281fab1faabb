import type { Glob } from "@drydock/wire";
import { findLinkProblem } from "../seal/names/link.js";
import { findPathProblem } from "../seal/names/path.js";
import type { TarEntry } from "./entry.js";
import { foldPath } from "./fold.js";
import type { ArtifactLimits } from "./limits.js";
import { isPortablePath } from "./portable.js";
import type { RefusalRule, StopRule } from "./rule.js";

export interface AdmissionState {
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
  /** Folded path of everything accepted, implied directories included, to the exact path. */
  readonly spellings: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, "file" | "link" | "directory">;
}

export const EMPTY_ADMISSION: AdmissionState = {
  entries: 0,
  files: 0,
  bytes: 0,
  spellings: new Map(),
  kinds: new Map(),
};

export type Admission =
  | { readonly kind: "file"; readonly path: string; readonly executable: boolean }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "refuse"; readonly rule: RefusalRule }
  | { readonly kind: "stop"; readonly rule: StopRule };

export interface AdmissionPolicy {
  readonly limits: ArtifactLimits;
  /** What was declared with `--artifact`; a path that none matches is refused. */
  readonly globs: readonly Glob[];
}

/** Set-user-id, set-group-id and sticky. */
const SPECIAL_BITS = 0o7000;
const OWNER_EXECUTE = 0o100;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decides about one member, before any of its contents is read. Pure. */
export const admit = (
  state: AdmissionState,
  entry: TarEntry,
  policy: AdmissionPolicy,
): { readonly state: AdmissionState; readonly admission: Admission } => {
  const seen = { ...state, entries: state.entries + 1 };
  if (seen.entries > policy.limits.entries) return stop(seen, "ENTRIES_LIMIT");
  const admission = judge(state, entry, policy);
  if (admission.kind === "refuse" || admission.kind === "stop") return { state: seen, admission };
  if (admission.kind === "directory") return { state: remember(seen, admission), admission };
  if (seen.files + 1 > policy.limits.files) return stop(seen, "FILES_LIMIT");
  if (seen.bytes + entry.size > policy.limits.totalBytes) return stop(seen, "BYTES_LIMIT");
  const counted = { ...seen, files: seen.files + 1, bytes: seen.bytes + entry.size };
  return { state: remember(counted, admission), admission };
};

const judge = (state: AdmissionState, entry: TarEntry, policy: AdmissionPolicy): Admission => {
  const { limits } = policy;
  if (entry.type === "hard-link") return refuse("HARD_LINK");
  if (entry.type === "device") return refuse("DEVICE");
  if (entry.unknownKey !== undefined) return refuse("PAX_KEY");
  const path = decode(entry.path);
  const target = decode(entry.target);
  if (path === undefined || target === undefined) return refuse("NOT_UTF8");
  const problem = findPathProblem(path, limits);
  if (problem !== undefined) return refuse(problem);
  if (!isPortablePath(path)) return refuse("NOT_PORTABLE");
  const clash = findClash(state, path, entry.type === "directory");
  if (clash !== undefined) return refuse(clash);
  if (entry.type === "directory") return { kind: "directory", path };
  if (!policy.globs.some((glob) => glob.matches(path))) return refuse("UNDECLARED");
  if (entry.type === "link") {
    const wrong = findLinkProblem(path, target, limits.linkBytes);
    return wrong === undefined ? { kind: "link", path, target } : refuse(wrong);
  }
  if ((entry.mode & SPECIAL_BITS) !== 0) return refuse("SETUID");
  return { kind: "file", path, executable: (entry.mode & OWNER_EXECUTE) !== 0 };
};

/** Names on the way must be directories spelled the same way; the last one must be new. */
const findClash = (
  state: AdmissionState,
  path: string,
  isDirectory: boolean,
): RefusalRule | undefined => {
  for (const step of withAncestors(path)) {
    const spelling = state.spellings.get(foldPath(step));
    if (spelling === undefined) continue;
    if (spelling !== step) return "CASE_COLLISION";
    const kind = state.kinds.get(step);
    if (step !== path && kind !== "directory") return "KIND_CONFLICT";
    if (step === path && !(isDirectory && kind === "directory")) {
      return kind === "directory" || isDirectory ? "KIND_CONFLICT" : "DUPLICATE";
    }
  }
  return undefined;
};

const remember = (
  state: AdmissionState,
  admission: { readonly kind: "file" | "link" | "directory"; readonly path: string },
): AdmissionState => {
  const spellings = new Map(state.spellings);
  const kinds = new Map(state.kinds);
  for (const step of withAncestors(admission.path)) {
    spellings.set(foldPath(step), step);
    kinds.set(step, step === admission.path ? admission.kind : "directory");
  }
  return { ...state, spellings, kinds };
};

/** "a/b/c" → "a", "a/b", "a/b/c". */
const withAncestors = (path: string): string[] =>
  path.split("/").map((_name, index, names) => names.slice(0, index + 1).join("/"));

const decode = (bytes: Buffer): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    // TextDecoder has no other way to say that bytes are no UTF-8.
    return undefined;
  }
};

const refuse = (rule: RefusalRule): Admission => ({ kind: "refuse", rule });

const stop = (state: AdmissionState, rule: StopRule) => ({
  state,
  admission: { kind: "stop", rule } as const,
});
