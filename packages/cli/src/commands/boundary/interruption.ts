import { DrydockError } from "@drydock/evidence";
import { EXIT_RUN_ERROR } from "../../exit.js";

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Until it is disposed of, SIGINT and SIGTERM ask for an end, which comes before the next thing that
 * is asked of engine or kernel: what runs is finished, so that it is known. Asked twice, the process
 * leaves at once.
 */
export const listenForInterruption = (): Interruption => {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    if (interrupted.signal.aborted) process.exit(EXIT_RUN_ERROR);
    interrupted.abort();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return {
    signal: interrupted.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.removeListener(name, interrupt);
    },
  };
};

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Also of one that came before: an event that is over tells nobody. */
export const whenInterrupted = (signal: AbortSignal, act: () => void): void => {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
};

/** @throws DrydockError INTERRUPTED */
export const refuseInterrupted = (signal: AbortSignal): void => {
  if (!signal.aborted) return;
  throw new DrydockError("INTERRUPTED", "a signal ended it before it was done", {
    fix: "Run it again: it goes on from what is there.",
  });
};

/** The same port, of which nothing more is asked after the signal. */
export const interruptible = <T extends object>(port: T, signal: AbortSignal): T =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        refuseInterrupted(signal);
        return member.apply(target, args);
      };
    },
  });
