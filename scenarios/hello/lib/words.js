const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;

/** Words of a text in order, lower-cased; an apostrophe or hyphen inside a word belongs to it. */
export const words = (text) => Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase());

/** How often each word occurs, most frequent first, ties in alphabetical order. */
export const frequencies = (text) => {
  const counts = new Map();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
};
