import type { Reason } from "../decision/index.js";
import type { Termination } from "../terminate/index.js";
import type { Timers } from "../timers.js";
import {
  type Relay,
  startTunnel,
  stepTunnel,
  type TunnelEvent,
  type TunnelLimits,
  type TunnelSummary,
} from "../tunnel/index.js";

export interface TerminatedOptions {
  readonly limits: TunnelLimits;
  readonly timers: Timers;
  readonly openedAt: number;
  readonly start: (onBytes: (direction: "up" | "down", count: number) => void) => Termination;
  readonly onEnd: (summary: TunnelSummary) => void;
}

/** Holds a tunnel whose TLS ends here to the same limits as one that is only carried. */
export const startTerminated = (options: TerminatedOptions): Relay => {
  const { limits, timers, openedAt, start, onEnd } = options;
  let { state, effects } = startTunnel(limits, openedAt);
  let cancel: () => void = () => undefined;
  let lastByteAt = timers.now();
  let [up, down] = [0, 0];
  let termination: Termination | null = null;
  let cutFor: Reason | null = null;

  const perform = (): void => {
    for (const effect of effects) {
      if (effect.type === "wake") {
        cancel = timers.after(Math.max(0, effect.at - timers.now()), () =>
          handle({ type: "woke", at: timers.now(), lastByteAt }),
        );
      } else if (effect.type === "report") {
        cancel();
        cutFor = effect.reason;
        termination?.end(effect.reason);
      }
    }
  };
  const handle = (event: TunnelEvent): void => {
    ({ state, effects } = stepTunnel(state, event));
    perform();
  };

  perform();
  termination = start((direction, count) => {
    lastByteAt = timers.now();
    if (direction === "up") up += count;
    else down += count;
    handle({ type: "bytes", up, down });
  });
  if (cutFor !== null) termination.end(cutFor);
  void termination.ended.then((outcome) => {
    cancel();
    onEnd({
      reason: cutFor ?? outcome.reason,
      up: outcome.up,
      down: outcome.down,
      finding: outcome.finding,
    });
  });
  return { end: (reason) => handle({ type: "refused", reason }) };
};
