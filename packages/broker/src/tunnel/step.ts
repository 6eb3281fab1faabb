import type { Reason } from "../decision/index.js";
import { isOverLimit } from "./limit.js";
import type { Side, TunnelLimits } from "./model.js";

/** Times in milliseconds of one clock that only grows. */
export interface TunnelState {
  readonly phase: "open" | "over";
  readonly limits: TunnelLimits;
  readonly openedAt: number;
  /** Sides that will send nothing more. */
  readonly ended: readonly Side[];
  /** Sides to which everything was handed, the half-close included. */
  readonly finished: readonly Side[];
}

export type TunnelEvent =
  /** Time has passed; `lastByteAt` is when a byte last moved in either direction. */
  | { readonly type: "woke"; readonly at: number; readonly lastByteAt: number }
  /** All bytes to the upstream and to the client, with those that wait for this to be judged. */
  | { readonly type: "bytes"; readonly up: number; readonly down: number }
  /** A side half-closed: it sends nothing more, and may still receive. */
  | { readonly type: "ended"; readonly side: Side }
  | { readonly type: "finished"; readonly side: Side }
  /** A side is gone without having ended. */
  | { readonly type: "failed"; readonly side: Side }
  /** The exchange is complete and the client stays. */
  | { readonly type: "done" }
  /** The gate, the channel's owner or the upstream's end in this process says why. */
  | { readonly type: "refused"; readonly reason: Reason };

export type TunnelEffect =
  | { readonly type: "wake"; readonly at: number }
  /** Passes the half-close on to this side. */
  | { readonly type: "end"; readonly side: Side }
  /** By reset: whoever is cut off has to see that this is not the end of the data. */
  | { readonly type: "cut" }
  /** The last effect, always exactly once. */
  | { readonly type: "report"; readonly reason: Reason };

export interface TunnelStep {
  readonly state: TunnelState;
  readonly effects: readonly TunnelEffect[];
}

export const startTunnel = (limits: TunnelLimits, at: number): TunnelStep => {
  const state: TunnelState = { phase: "open", limits, openedAt: at, ended: [], finished: [] };
  return { state, effects: [{ type: "wake", at: nextDeadline(state, at).at }] };
};

/**
 * The rules of one tunnel. Where two things end it, the one that is told first does; after that
 * nothing has an effect.
 */
export const stepTunnel = (state: TunnelState, event: TunnelEvent): TunnelStep => {
  if (state.phase === "over") return stay(state);
  switch (event.type) {
    case "woke": {
      const deadline = nextDeadline(state, event.lastByteAt);
      return event.at < deadline.at
        ? { state, effects: [{ type: "wake", at: deadline.at }] }
        : cut(state, deadline.reason);
    }
    case "bytes": {
      const { maxBytesUp, maxBytesDown } = state.limits;
      if (isOverLimit(event.up, maxBytesUp)) return cut(state, "BYTES_UP");
      return isOverLimit(event.down, maxBytesDown) ? cut(state, "BYTES_DOWN") : stay(state);
    }
    case "ended": {
      if (state.ended.includes(event.side)) return stay(state);
      const next = { ...state, ended: [...state.ended, event.side] };
      return { state: next, effects: [{ type: "end", side: other(event.side) }] };
    }
    case "finished": {
      if (state.finished.includes(event.side)) return stay(state);
      const next = { ...state, finished: [...state.finished, event.side] };
      return next.finished.length === 2 && next.ended.length === 2
        ? over(next, [{ type: "report", reason: "CLOSED" }])
        : stay(next);
    }
    case "failed":
      // A stream that is through closes by itself, maybe before the other one is.
      if (state.ended.includes(event.side) && state.finished.includes(event.side)) {
        return stay(state);
      }
      return cut(state, event.side === "client" ? "CLIENT_RESET" : "UPSTREAM_RESET");
    case "done":
      return over(state, [{ type: "report", reason: "CLOSED" }]);
    case "refused":
      return cut(state, event.reason);
  }
};

export const other = (side: Side): Side => (side === "client" ? "upstream" : "client");

const stay = (state: TunnelState): TunnelStep => ({ state, effects: [] });

const over = (state: TunnelState, effects: readonly TunnelEffect[]): TunnelStep => ({
  state: { ...state, phase: "over" },
  effects,
});

const cut = (state: TunnelState, reason: Reason): TunnelStep =>
  over(state, [{ type: "cut" }, { type: "report", reason }]);

/** The earliest that may end the tunnel if nothing more happens. */
const nextDeadline = (
  { limits, openedAt }: TunnelState,
  lastByteAt: number,
): { readonly at: number; readonly reason: Reason } => {
  const idleAt = lastByteAt + limits.idleTimeoutMs;
  const endAt = openedAt + limits.lifetimeMs;
  return idleAt < endAt ? { at: idleAt, reason: "IDLE" } : { at: endAt, reason: "LIFETIME" };
};
