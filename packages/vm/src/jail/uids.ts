/**
 * User and group ids of Drydock's own processes. The range lies above what systemd (dynamic users
 * 61184–65519, containers up to 1,879,048,191) and Debian (nobody, 65534) hand out, so that no
 * other process shares an id with a VMM.
 */
export const UID_BASE = 1_900_000_000;

/** Ids of slots start here; the ones below belong to processes that aren't per slot. */
const SLOT_OFFSET = 16;
/** VMM, port, broker, and one in reserve, so that a later process needs no renumbering. */
const IDS_PER_SLOT = 4;

/** Live runs on one machine; a bound on what `sweepStale` reads. */
export const MAX_SLOTS = 1024;

export const CONTROLLER_UID = UID_BASE;
export const SEALER_UID = UID_BASE + 1;

export const vmmUid = (slot: number): number => UID_BASE + SLOT_OFFSET + slot * IDS_PER_SLOT;
export const portUid = (slot: number): number => vmmUid(slot) + 1;
export const egressUid = (slot: number): number => vmmUid(slot) + 2;

/** Every id that may only be worn by a process of this slot. */
export const slotUids = (slot: number): readonly number[] =>
  Array.from({ length: IDS_PER_SLOT }, (_unused, index) => vmmUid(slot) + index);
