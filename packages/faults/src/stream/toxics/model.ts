import type { Chance } from "../../chance/index.js";

/** `upstream`: from the client to the server; `downstream`: back. */
export const DIRECTIONS = ["upstream", "downstream"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Units as Toxiproxy has them: milliseconds, microseconds for the slicer's delay, 1,000 bytes/s. */
export interface ToxicAttributes {
  readonly latency: { readonly latency: number; readonly jitter: number };
  readonly bandwidth: { readonly rate: number };
  readonly slow_close: { readonly delay: number };
  readonly timeout: { readonly timeout: number };
  readonly reset_peer: { readonly timeout: number };
  readonly slicer: {
    readonly average_size: number;
    readonly size_variation: number;
    readonly delay: number;
  };
  readonly limit_data: { readonly bytes: number };
}
export type ToxicType = keyof ToxicAttributes;

/** What a toxic does, without its name and who is affected. */
export type Effect = {
  readonly [T in ToxicType]: { readonly type: T; readonly attributes: ToxicAttributes[T] };
}[ToxicType];

export type Output =
  | { readonly kind: "data"; readonly bytes: Uint8Array }
  /** The sender is through; the other way stays open. */
  | { readonly kind: "end" }
  /** Both ways end, behind what was sent before. */
  | { readonly kind: "close" }
  /** Both ways end by reset. */
  | { readonly kind: "reset" };

/** Something that leaves a toxic, and when. Milliseconds of a clock that only grows. */
export interface Scheduled {
  readonly at: number;
  readonly output: Output;
}

export type ToxicEvent =
  /** The toxic meets a connection, or its attributes were changed. */
  | { readonly type: "start"; readonly at: number }
  | { readonly type: "data"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: "end"; readonly at: number; readonly how: "end" | "close" | "reset" };

export interface ToxicState {
  readonly chance: Chance;
  /** Nothing leaves before what came before it. */
  readonly busyUntil: number;
  /** Bytes that were let through. */
  readonly passed: number;
  /** Whatever comes now is thrown away. */
  readonly over: boolean;
}

export interface ToxicStep {
  readonly state: ToxicState;
  readonly scheduled: readonly Scheduled[];
}
