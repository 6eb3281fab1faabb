import type { Authority, BoundaryOwner, Hook, Realisation } from "../model/index.js";

/** What every part of a compilation needs to know about the whole. */
export interface Context {
  readonly owner: BoundaryOwner;
  readonly authority: Authority;
  readonly realisation: Realisation;
}

export interface CompileOptions {
  readonly owner: BoundaryOwner;
  readonly realisation: Realisation;
}

/**
 * Bits of a packet's mark that say: it came by a bound port with that port's own MAC and address.
 * One for each authority, so that neither vouches for the other's ports. The kernel clears a mark
 * when a packet leaves a network namespace, so a container can't bring one.
 */
export const MARK_BIT: Readonly<Record<Authority, number>> = {
  scenario: 0x0040_0000,
  platform: 0x0080_0000,
};

/** Both before Docker's own filter chains (0) and after defragmentation (-400). */
const PRIORITY: Readonly<Record<Authority, number>> = { scenario: -200, platform: -300 };

/** The host's own packets are tracked in this hook (NF_IP_PRI_CONNTRACK, -200), others before. */
const OUTPUT_PRIORITY = -150;

export const priorityOf = ({ authority }: Context, hook: Hook): number =>
  hook === "output" ? OUTPUT_PRIORITY : PRIORITY[authority];
