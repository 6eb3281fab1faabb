import type { Timers } from "../timers.js";
import type { Resolution, Resolver } from "./resolution.js";

/**
 * A look-up that began longer ago isn't joined: its deadline is too near for somebody who comes
 * now, and a part of its answers may be that old.
 */
export const JOIN_WITHIN_MS = 100;

interface Flight {
  readonly startedAt: number;
  readonly found: Promise<Resolution>;
  readonly stop: AbortController;
  /** Nobody joins it any more. */
  readonly leave: () => void;
  waiting: number;
}

/**
 * One look-up for all who ask for the same name at the same time. Nothing is kept once it is over.
 * Its questions are counted once, for whoever made
 * it be asked, so the receipts' sum is what was sent.
 */
export const shareLookups = (resolver: Resolver, { now }: Pick<Timers, "now">): Resolver => {
  const flights = new Map<string, Flight>();

  const begin = (host: string, startedAt: number): Flight => {
    const stop = new AbortController();
    const found = resolver.resolve(host, stop.signal);
    const leave = (): void => {
      if (flights.get(host) === flight) flights.delete(host);
    };
    const flight = { startedAt, found, stop, leave, waiting: 0 };
    flights.set(host, flight);
    found.then(leave, leave);
    return flight;
  };

  /** Whoever waits is told at once when his signal aborts; the last one ends the look-up. */
  const wait = (flight: Flight, signal: AbortSignal): Promise<Resolution> =>
    new Promise((resolve, reject) => {
      flight.waiting += 1;
      const done = (): void => {
        signal.removeEventListener("abort", abort);
        flight.waiting -= 1;
      };
      const abort = (): void => {
        done();
        reject(signal.reason);
        if (flight.waiting > 0) return;
        flight.leave();
        flight.stop.abort(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      flight.found.then(
        (resolution) => {
          done();
          resolve(resolution);
        },
        (error) => {
          done();
          reject(error);
        },
      );
    });

  return {
    resolve: async (host, signal) => {
      signal.throwIfAborted();
      const at = now();
      const current = flights.get(host);
      if (current === undefined || at - current.startedAt > JOIN_WITHIN_MS) {
        return wait(begin(host, at), signal);
      }
      const resolution = await wait(current, signal);
      return { ...resolution, source: "shared", queries: 0, ms: Math.round(now() - at) };
    },
  };
};
