/** Waits for all, whatever becomes of the first, and fails if any did. */
export const allDone = async (works: readonly Promise<unknown>[]): Promise<void> => {
  for (const end of await Promise.allSettled(works)) {
    if (end.status === "rejected") throw end.reason;
  }
};
