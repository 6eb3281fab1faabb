/** Of everything a policy lists: more than a reviewer reads, and the broker's own limit. */
export const MAX_AUTHORITIES = 256;
export const MAX_CROSSINGS = 64;
export const MAX_CROSSING_PORTS = 64;
export const MAX_PUBLICATIONS = 16;
export const MAX_HOLDERS = 16;

/** MAXNS of resolv.conf(5). */
export const MAX_RESOLVERS = 3;

/** What dependants of the gate were promised, and the least a busy appliance is given an hour of. */
export const DEFAULT_FRESHNESS_SECONDS = 5;
export const MAX_FRESHNESS_SECONDS = 3_600;

/**
 * Daytime, time, NTP and NTS key establishment (RFC 867, 868, 5905, 8915). An appliance takes its
 * time from its own lifecycle; a time service would need a policy of its own kind, not a port.
 */
export const TIME_PORTS: readonly number[] = [13, 37, 123, 4460];
