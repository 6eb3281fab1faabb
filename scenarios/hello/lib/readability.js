import { words } from "./words.js";

const SENTENCE_END = /[.!?…]+(?=\s|$)/u;

/** Sentences of a text: what stands between full stops, question and exclamation marks. */
export const sentences = (text) =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** Mean words a sentence; 0 for a text without one. */
export const meanSentenceLength = (text) => {
  const count = sentences(text).length;
  return count === 0 ? 0 : words(text).length / count;
};
