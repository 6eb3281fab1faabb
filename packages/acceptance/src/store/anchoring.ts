import { genesis } from "./event-row.js";
import { storeFault } from "./fault.js";
import { headRow, type StoreHead } from "./head.js";
import { judgeAnchor } from "./judge-anchor.js";
import type { AnchorPoint, RollbackAnchor } from "./port.js";
import type { Reading } from "./snapshot.js";

/**
 * Asks the anchor whether the store is the newest that ever was, and tells it what it missed.
 * Within a transaction.
 *
 * @throws DrydockError STORE_ROLLED_BACK, STORE_UNANCHORED or STORE_ANCHOR
 */
export const requireNewest = (
  { statements, mac }: Reading,
  head: StoreHead,
  anchor: RollbackAnchor | null,
): void => {
  if (anchor === null) {
    if (head.anchored) throw storeFault("STORE_UNANCHORED", "it has an anchor");
    return;
  }
  const point = asked(() => anchor.read());
  if (point === null) {
    if (head.anchored) throw storeFault("STORE_ANCHOR", "its anchor has forgotten it");
    return;
  }
  const judgement = judgeAnchor(head, point, (sequence) =>
    sequence === 0 ? genesis(mac) : (statements.event(sequence)?.mac ?? null),
  );
  switch (judgement) {
    case "same":
      return;
    case "behind":
      asked(() => anchor.advance(pointOf(head)));
      return;
    case "rolled-back":
      throw storeFault("STORE_ROLLED_BACK", "it is older than its anchor remembers");
    case "foreign":
      throw storeFault("STORE_ANCHOR", "the anchor is another store's");
  }
};

/** Anchors a store for the first time. Within a transaction. */
export const anchorFirst = (
  { statements, mac }: Reading,
  head: StoreHead,
  anchor: RollbackAnchor | null,
): void => {
  if (anchor === null || head.anchored) return;
  // The anchor first: a store that says it has one, and has none, could never be opened again.
  asked(() => anchor.advance(pointOf(head)));
  statements.putHead(headRow({ ...head, anchored: true }, mac));
};

export const pointOf = ({ storeId, events, head }: StoreHead): AnchorPoint => ({
  storeId,
  generation: events,
  head,
});

const asked = <T>(ask: () => T): T => {
  try {
    return ask();
  } catch (error) {
    throw storeFault("STORE_ANCHOR", "its anchor doesn't answer", error);
  }
};
