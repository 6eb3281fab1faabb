import { isIPv6 } from "node:net";
import { isLoopback } from "../address/loopback.js";
import type { Address } from "../stream/listen.js";
import { ApiError, notLoopback } from "./error.js";

/** What other machines reach, and other machines, have to be asked for. */
export interface Reach {
  readonly listen: boolean;
  readonly upstream: boolean;
}

/**
 * `host:port` as Go has it: a name, an IPv4 address, or an IPv6 address in brackets. `localhost` is
 * 127.0.0.1 without asking anybody, and no host is every address of this machine.
 *
 * @throws ApiError 500 with Go's words
 */
export const parseAddress = (text: string): Address => {
  const [, bracketed, plain, digits] =
    /^(?:\[([^\]]*)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const host = bracketed ?? plain;
  if (host === undefined || !(port <= 65_535) || (bracketed !== undefined && !isIPv6(bracketed)))
    throw new ApiError(500, `listen tcp: address ${text}: no host and port`);
  return { host: host === "" ? "::" : host === "localhost" ? "127.0.0.1" : host, port };
};

export const formatAddress = ({ host, port }: Address): string =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;

/** @throws ApiError 403 */
export const listenAddress = (text: string, reach: Reach): Address => {
  const address = parseAddress(text === "" ? "127.0.0.1:0" : text);
  if (!reach.listen && !isLoopback(address.host))
    throw notLoopback(`listen address ${text}`, "--listen-beyond-loopback");
  return address;
};

/** @throws ApiError 403 */
export const upstreamAddress = (text: string, reach: Reach): Address => {
  const address = parseAddress(text);
  if (!reach.upstream && !isLoopback(address.host))
    throw notLoopback(`upstream ${text}`, "--upstream-beyond-loopback");
  return address;
};
