/** Clients at once: a harness, its proxy, and an operator with a few tabs. */
export const MAX_CONNECTIONS = 64;

/** Far more than any object that the endpoints have; an appliance takes 200 MB. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const MAX_HEADER_BYTES = 16 * 1024;

/** From the first byte of a request to the end of its header. */
export const HEADER_MS = 10_000;

/** To the end of its body. A client that sends a byte now and then isn't served. */
export const REQUEST_MS = 30_000;

/** Without a byte either way; also a client that doesn't read its answer. */
export const IDLE_MS = 30_000;

/** Between two requests of a connection. */
export const KEEP_ALIVE_MS = 5_000;

export const MAX_REQUESTS_PER_CONNECTION = 1_000;

/** The package tries once a second to get the lock on the configuration file, and then gives up. */
export const LOCK_WAIT_MS = 1_000;
export const LOCK_ATTEMPTS = 60;

/** How long the rules take to load. */
export const RELOAD_MS = 200;
