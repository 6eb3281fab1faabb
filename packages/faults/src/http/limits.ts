/** A change to an appliance is some kilobytes; it is held whole, and as often as it is sent. */
export const MAX_REQUEST_BYTES = 1024 * 1024;
/** Node's own default, here on purpose: a head is kept while its exchange waits. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** A cycle needs a handful; each may hold a request. */
export const MAX_CONNECTIONS = 128;
/** A client that doesn't finish its request in this isn't one of a cycle. */
export const RECEIVE_MS = 60_000;
/** How long an upstream may go on with what nobody waits for any more. */
export const LET_GO_MS = 30_000;
/** Handed to the harness one by one; a cycle makes some dozens. */
export const MAX_RECORDS = 100_000;
