/**
 * A part of a list. A limit of 0 is none; an offset at or after the end gives an empty list; numbers
 * below 0 count from the end, which the package never meant and does all the same.
 */
export const paginate = <T>(list: readonly T[], limit: number, offset: number): readonly T[] => {
  if (limit === 0 && offset === 0) return list;
  if (offset >= list.length) return [];
  const start = offset < 0 ? Math.max(list.length + offset, 0) : offset;
  if (limit === 0) return list.slice(start);
  return limit < 0 ? list.slice(start, list.length + limit) : list.slice(start, start + limit);
};
