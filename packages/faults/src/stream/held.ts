import { MAX_HELD_BYTES, MAX_HELD_IN_ALL, MIN_HELD_BYTES } from "./limits.js";

/** Bytes that all directions of a process hold back. */
export interface HeldBytes {
  total: number;
}

/** Guard: whether a direction holds back as much as it may, so that its sender has to wait. */
export const isFull = (own: number, all: HeldBytes): boolean =>
  own >= MAX_HELD_BYTES || (all.total >= MAX_HELD_IN_ALL && own >= MIN_HELD_BYTES);
