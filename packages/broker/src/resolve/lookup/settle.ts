import type { IpAddress } from "../../address/address.js";
import type { FamilyState, LookupOutcome } from "./state.js";

/**
 * Guard: what both families' answers come to; null until both are complete. One that is missing
 * may hold the very address that the name must be refused for, and whoever can make a resolver
 * slow could otherwise choose which half is judged.
 *
 * Both halves last as long as the shortest record of either. That a family has no record is no
 * record, so it lasts as long as the other's addresses: there is nothing in it to dial.
 */
export const settle = (v4: FamilyState, v6: FamilyState): LookupOutcome | null => {
  if (v4.kind !== "answered" || v6.kind !== "answered") return null;
  const addresses = unique([...v4.addresses, ...v6.addresses]);
  return addresses.length === 0
    ? { kind: "refused", reason: "DNS_EMPTY" }
    : { kind: "addresses", addresses, ttl: Math.min(v4.ttl, v6.ttl) };
};

/** RFC 2181 §5: a record that is there twice is there once. */
const unique = (addresses: readonly IpAddress[]): readonly IpAddress[] => [
  ...new Map(addresses.map((address) => [address.bytes.join("."), address])).values(),
];
