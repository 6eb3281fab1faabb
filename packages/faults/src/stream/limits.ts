/** What a direction may hold back before its sender isn't read any more; a delay costs throughput. */
export const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** What all of them may, and what each may even then. */
export const MAX_HELD_IN_ALL = 256 * 1024 * 1024;
export const MIN_HELD_BYTES = 16 * 1024;
/** A held chunk costs more than its bytes. */
export const CHUNK_BYTES = 128;
/** Of all proxies together; two descriptors each. */
export const MAX_CONNECTIONS = 1_024;
/** As long as a system tries by itself, about. */
export const CONNECT_MS = 60_000;
/** For what a connection that a toxic closed still has to hand over. */
export const CLOSE_MS = 30_000;
/** About what the kernel has ready of a fast transfer; untouched pages of it cost nothing. */
export const READ_BYTES = 256 * 1024;
