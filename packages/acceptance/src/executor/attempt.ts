import { wordFor } from "./cause.js";

/** How something went that may throw: its result, or what the error is called. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly word: string };

export const attempt = async <T>(act: () => T | Promise<T>): Promise<Attempt<T>> => {
  try {
    return { ok: true, value: await act() };
  } catch (error) {
    return { ok: false, word: wordFor(error) };
  }
};
