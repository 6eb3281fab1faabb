import type { Duplex } from "node:stream";
import type { Timers } from "../timers.js";

export interface ReadFromOptions {
  readonly timers: Timers;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type ReadFrom<Step> =
  | { readonly kind: "read"; readonly step: Exclude<Step, { readonly kind: "more" }> }
  /** `some`: whether anything had come by then. */
  | { readonly kind: "timeout"; readonly some: boolean }
  | { readonly kind: "ended"; readonly some: boolean }
  | { readonly kind: "aborted" };

/**
 * Feeds a reader from a stream until it has what it reads. Before and after, the stream is paused,
 * and what follows stays in it.
 */
export const readFrom = <Step extends { readonly kind: string }>(
  stream: Duplex,
  push: (bytes: Uint8Array) => Step,
  first: Uint8Array,
  { timers, timeoutMs, signal }: ReadFromOptions,
): Promise<ReadFrom<Step>> =>
  new Promise((resolve, reject) => {
    let some = false;
    let reading = true;
    const settle = (result: ReadFrom<Step>): void => {
      stop();
      resolve(result);
    };
    const take = (bytes: Uint8Array): void => {
      some = true;
      try {
        const step = push(bytes);
        if (step.kind !== "more") {
          settle({ kind: "read", step: step as Exclude<Step, { readonly kind: "more" }> });
        }
      } catch (error) {
        // Otherwise it would leave through the event, past whoever waits here.
        stop();
        reject(error);
      }
    };
    const ended = (): void => settle({ kind: "ended", some });
    const aborted = (): void => settle({ kind: "aborted" });
    const cancel = timers.after(timeoutMs, () => settle({ kind: "timeout", some }));
    const stop = (): void => {
      reading = false;
      cancel();
      stream.pause();
      stream.off("data", take).off("end", ended).off("close", ended);
      signal.removeEventListener("abort", aborted);
    };
    stream.on("data", take).on("end", ended).on("close", ended);
    signal.addEventListener("abort", aborted);
    if (signal.aborted) aborted();
    else if (stream.destroyed || stream.readableEnded) ended();
    else if (first.length > 0) take(first);
    if (reading) stream.resume();
  });
