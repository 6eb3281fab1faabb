/** Does all, at most so many at a time; the first that fails fails all, after those that run. */
export const pooled = async <T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await work(item);
    }
  };
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(limit, items.length) }, worker),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return results;
};
