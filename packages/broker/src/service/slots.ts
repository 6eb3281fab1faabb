/** So many at once; whoever comes later waits in line. */
export interface Slots {
  /** Resolves with what gives the slot back. Rejects when aborted before it had one. */
  take(signal: AbortSignal): Promise<() => void>;
}

export const createSlots = (count: number): Slots => {
  let free = count;
  const waiting = new Set<() => void>();
  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  const once = (): (() => void) => {
    let given = false;
    return () => {
      if (!given) giveBack();
      given = true;
    };
  };
  return {
    take: (signal) => {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(once());
      }
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiting.delete(grant);
          reject(signal.reason);
        };
        const grant = (): void => {
          signal.removeEventListener("abort", abort);
          resolve(once());
        };
        waiting.add(grant);
        signal.addEventListener("abort", abort, { once: true });
      });
    },
  };
};
