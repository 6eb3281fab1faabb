/** Two a phase and then some; each is looked through for every request. */
export const MAX_ARMINGS = 64;
/** Of one arming: more can't be combined anyway. */
export const MAX_FAULTS = 8;
/** Far beyond any request that a cycle makes of one phase. */
export const MAX_NTH = 1_000;
/** A cycle ends in minutes; what waits longer holds a connection for nothing. */
export const MAX_WAIT_MS = 10 * 60_000;
/** No request or answer that is faulted is longer. */
export const MAX_FAULT_BYTES = 64 * 1024 * 1024;
export const MAX_COPIES = 8;
