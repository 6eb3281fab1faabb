/**
 * Of the reasons why a target can't be read: those that say something about the target itself. It
 * was removed, there are two now, or it became of another kind.
 */
export const isConflict = (word: string): boolean =>
  word === "TARGET_ABSENT" || word === "TARGET_AMBIGUOUS" || word === "TARGET_UNSUPPORTED";
