/** One line a dependency of a large application, and some more. */
export const MAX_PROXIES = 256;
/** Of one proxy; each is asked about every chunk. */
export const MAX_TOXICS = 64;
/** A list of as many proxies as there may be, with long names. */
export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_NAME_LENGTH = 256;
/** A day; what should last longer has no end at all. */
export const MAX_MS = 24 * 60 * 60 * 1000;
/** 1 TB/s and a terabyte: more than there is, and still exact. */
export const MAX_RATE = 1e9;
export const MAX_BYTES = 1e12;
export const API_CONNECTIONS = 64;
export const API_RECEIVE_MS = 15_000;
