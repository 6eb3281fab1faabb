import type { JsonObject, RunManifest } from "@drydock/evidence";
import { shape } from "@drydock/evidence";
import type { SealedTopology, VmEndpoints } from "@drydock/vm";
import type { CanonicalComparison, SealedSource } from "../seal/index.js";
import { commandExit } from "./exit.js";
import { method, nothing, rootMethod } from "./method.js";

const { array, boolean, id, integer, nullable, object, oneOf, text } = shape;

/** What the launcher sealed and resolved before anything is born; goes into the manifest. */
export interface Inputs {
  readonly source: SealedSource | null;
  /** Digest of the canonical checkout's observation before the run; null when there is none. */
  readonly canonical: string | null;
  readonly image: RunManifest["image"];
  readonly vmm: RunManifest["vmm"];
  readonly snapshot: RunManifest["snapshot"];
  readonly topology: RunManifest["topology"];
  /** The whole sealed picture of the machine, for comparing. */
  readonly machine: SealedTopology;
  readonly build: RunManifest["build"];
  readonly vmmPids: number;
  readonly vmmMemoryBytes: number;
  readonly helpers: HelperLimits;
}

/** Bounds of the run's own processes on the host. */
export type HelperLimits = Pick<
  RunManifest["limits"],
  | "controllerMemoryBytes"
  | "controllerPids"
  | "portMemoryBytes"
  | "portPids"
  | "egressMemoryBytes"
  | "egressPids"
>;

export interface Spawned {
  readonly pid: number;
  readonly endpoints: VmEndpoints;
  readonly limits: { readonly matches: boolean; readonly effective: JsonObject };
}

export interface Attestation {
  readonly observed: JsonObject;
  readonly differences: readonly string[];
}

export interface Usage {
  readonly memoryPeakBytes: number;
  readonly pidsPeak: number;
  readonly oomKills: number;
  readonly diskBytes: number;
}

/** What root does for the controller: a short, closed list. */
export const LAUNCHER = {
  seal: rootMethod<null, Inputs>(nothing),
  createSlot: rootMethod<null, null>(nothing),
  stage: rootMethod<null, { readonly bytes: number }>(nothing),
  spawn: rootMethod<null, Spawned>(nothing),
  observe: rootMethod<null, Attestation>(nothing),
  usage: rootMethod<null, Usage>(nothing),
  /** SIGKILL, and then a look at whether it is gone. */
  kill: rootMethod<null, { readonly dead: boolean }>(nothing),
  /** Everything that the slot holds, the port process too; then its artifacts, or not. */
  destroy: rootMethod<
    { readonly artifacts: "keep" | "discard" },
    { readonly leftovers: readonly string[] }
  >(object({ artifacts: oneOf(["keep", "discard"]) })),
  canonical: rootMethod<
    null,
    { readonly after: string | null; readonly comparison: CanonicalComparison | null }
  >(nothing),
  /** A phase was entered: for whoever watches. */
  phase: method(object({ name: id }), nothing),
  ready: method(nothing, nothing),
  exited: method(object({ exec: id, exit: commandExit }), nothing),
  finished: method(
    object({
      verdict: nullable(oneOf(["PASS", "FAIL", "INVALID", "INCOMPLETE", "UNCERTAIN"])),
      ending: text(256, 1),
      deadline: boolean,
      bodyStarted: boolean,
      refusal: nullable(
        object({ code: text(128, 1), message: text(8192), fix: nullable(text(4096)) }),
      ),
      findings: array(object({ code: text(128, 1), message: text(4096) }), 1024),
      denied: integer(0),
      phases: array(object({ name: id, ms: integer(0) }), 64),
    }),
    nothing,
  ),
} as const;
