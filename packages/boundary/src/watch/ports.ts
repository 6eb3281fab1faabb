import type { GateBinding, GateFinding } from "../gate/index.js";
import type { ResidentKernel } from "../kernel/index.js";
import type { Check, GuestSources, SignedImages } from "../observe/index.js";
import type { ApplianceAim, Proof, Seen } from "../realise/index.js";
import type { WatchEvent } from "./step.js";

export interface WatchRequest {
  readonly aim: ApplianceAim;
  readonly binding: GateBinding;
  readonly images: SignedImages;
  /** `report` only with --dev. */
  readonly mode: "close" | "report";
}

export interface WatchPorts extends Omit<GuestSources, "probe" | "probeEgress" | "kernel"> {
  readonly kernel: ResidentKernel;
  /** One item whenever rules of the namespace may have changed; its end is a failure. */
  readonly ruleEvents: (signal: AbortSignal) => AsyncIterable<unknown>;
  readonly check: Check;
  readonly report: (findings: readonly GateFinding[]) => void;
  /** Nothing was found; `observedAt` is before the first thing that it rests on was read. */
  readonly proven?: (proof: Proof, seen: Seen, observedAt: Date) => void;
  /** Whatever rests on the boundary is to end: its floor is being laid. */
  readonly closing?: () => void;
  readonly onEvent?: (event: WatchEvent) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly clock: () => Date;
  /** Also ends with the signal, and is no failure then. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}
