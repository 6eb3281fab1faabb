import { sha256 } from "@drydock/evidence";
import type { TruthCell } from "../meaning/index.js";
import { authorityOf, identityOf } from "./cell.js";

/** Probed at a start: what is blocked is waited for, all at once, so that more costs little. */
export const SAMPLE_SIZE = 48;

/**
 * Every cell, in an order of which the beginning is a fair sample: one of each kind (authority,
 * expectation, protocol, path) in turn, those first that every sample needs, and within a kind the
 * pairs that had the fewest before. The seed decides among equals, so that nobody can know which
 * flows a start will try, and who has the seed can try them again.
 */
export const ranked = (cells: readonly TruthCell[], seed: Uint8Array): readonly TruthCell[] => {
  const kinds = new Map<string, TruthCell[]>();
  for (const cell of shuffled(cells, seed)) {
    const kind = kindOf(cell);
    kinds.set(kind, [...(kinds.get(kind) ?? []), cell]);
  }
  const queues = [...kinds].sort(([one], [other]) => compare(one, other)).map(([, queue]) => queue);
  const taken = new Map<string, number>();
  const order: TruthCell[] = [];
  while (order.length < cells.length) {
    for (const queue of queues) {
      const next = leastTaken(queue, taken);
      if (next === undefined) continue;
      queue.splice(queue.indexOf(next), 1);
      taken.set(pairOf(next), (taken.get(pairOf(next)) ?? 0) + 1);
      order.push(next);
    }
  }
  return order;
};

/** By this name kinds are sorted: what both authorities have to show, TCP before the others. */
const kindOf = (cell: TruthCell): string => {
  const { source, expected, protocol, path, reason } = cell;
  const authority = authorityOf(cell);
  // Blocked by the container's own routing, or by there being no way at all, shows no rule.
  const isOwn = source.authority === authority && reason === null;
  const rank = { tcp: 0, udp: 1, icmp: 2 }[protocol];
  return [isOwn ? 0 : 1, rank, authority, expected, path].join(" ");
};

const pairOf = ({ source, destination }: TruthCell): string =>
  `${source.holder} ${destination.holder}`;

const leastTaken = (
  queue: readonly TruthCell[],
  taken: ReadonlyMap<string, number>,
): TruthCell | undefined => {
  let best: TruthCell | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const cell of queue) {
    const count = taken.get(pairOf(cell)) ?? 0;
    if (count >= least) continue;
    best = cell;
    least = count;
  }
  return best;
};

const shuffled = (cells: readonly TruthCell[], seed: Uint8Array): readonly TruthCell[] =>
  cells
    .map((cell) => ({
      cell,
      key: sha256(Buffer.concat([seed, Buffer.from(identityOf(cell))])).toString("hex"),
    }))
    .sort((one, other) => compare(one.key, other.key))
    .map(({ cell }) => cell);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
