/** Text order of UTF-16 units: one order for all, no locale. */
export const ascending = <T>(key: (item: T) => string, what: string) => {
  return (items: readonly T[]): string | null =>
    items.every((item, index) => {
      const next = items[index + 1];
      return next === undefined || key(item) < key(next);
    })
      ? null
      : `${what} must be sorted and differ`;
};
