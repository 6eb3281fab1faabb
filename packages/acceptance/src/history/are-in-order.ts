/**
 * Revisions have their second for a name, and are listed by it, the newest first. A list with two
 * of one name, or in another order, isn't the appliance's, and its first is nobody's newest.
 */
export const areInOrder = (
  revisions: readonly { readonly id: number; readonly time: number }[],
): boolean =>
  revisions.every(({ id, time }, place) => {
    const newer = revisions[place - 1];
    return id === place && (newer === undefined || time < newer.time);
  });
