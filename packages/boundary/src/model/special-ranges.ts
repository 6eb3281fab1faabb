import type { Cidr } from "./ipv4.js";

/**
 * Where the egress anchor goes only if a signed resolver's address lies there. Blocks of IANA's
 * IPv4 Special-Purpose Address Registry of 2026-07-18 (RFC 6890) that it doesn't call globally
 * reachable, without those inside of a block that is listed anyway; the two anycast addresses of
 * 192.0.0.0/24 that it calls reachable are left out of reach, since no authority is served there.
 * Beside them multicast (RFC 5771) and the metadata services that have an address of their own.
 * Ascending, disjoint.
 */
export const SPECIAL_RANGES: readonly Cidr[] = (
  [
    [[0, 0, 0, 0], 8],
    [[10, 0, 0, 0], 8],
    [[100, 64, 0, 0], 10],
    [[127, 0, 0, 0], 8],
    [[169, 254, 0, 0], 16],
    [[172, 16, 0, 0], 12],
    [[192, 0, 0, 0], 24],
    [[192, 0, 2, 0], 24],
    // 6to4 relays: the registry lists it as deprecated (RFC 7526).
    [[192, 88, 99, 0], 24],
    [[192, 168, 0, 0], 16],
    [[198, 18, 0, 0], 15],
    [[198, 51, 100, 0], 24],
    [[203, 0, 113, 0], 24],
    [[224, 0, 0, 0], 4],
    [[240, 0, 0, 0], 4],
    // Azure's WireServer and Equinix Metal's metadata service: public addresses, answered locally.
    [[168, 63, 129, 16], 32],
    [[192, 80, 8, 124], 32],
  ] as const
)
  .map(([[a, b, c, d], prefix]) => ({ base: ((a * 256 + b) * 256 + c) * 256 + d, prefix }))
  .sort((one, other) => one.base - other.base);
