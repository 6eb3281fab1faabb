/** A guard of the broker, and one that lets pass what it kept. */
export interface Guard {
  /** Under packages/broker/dist, without the ending. */
  readonly module: string;
  readonly what: string;
  /** An ES module that exports what the original does; `from` makes a specifier beside it. */
  readonly source: (from: (module: string) => string) => string;
  /** Name of the cells that notice, as a pattern. */
  readonly cells: string;
}

/** A guard of what is read before any client is there: a test of its own notices. */
export interface GuardBeside extends Omit<Guard, "cells"> {
  /** Under packages/broker/dist, without the ending. */
  readonly test: string;
}

/** Needs nothing of what stands beside it. */
export const simply =
  (source: string): Guard["source"] =>
  () =>
    source;
