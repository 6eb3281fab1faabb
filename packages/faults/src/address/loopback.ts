import { isIPv4, isIPv6 } from "node:net";

/** Guard: an address that no other machine reaches (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export const isLoopback = (address: string): boolean => {
  if (isIPv4(address)) return address.startsWith("127.");
  return isIPv6(address) && /^(?:0*:)*:?0*1$/.test(address.replace(/%.*$/, ""));
};
