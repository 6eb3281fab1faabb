import type { ConnectionOptions } from "node:tls";
import type { Upstream, UpstreamTls } from "./upstream.js";

/**
 * Guard: an upstream is one that the given authorities vouch for, under the given name or its
 * address. There is no way to ask for less, and what the environment says of it doesn't count.
 */
export const trustOf = (
  { host }: Upstream,
  { ca, serverName }: UpstreamTls,
): Pick<ConnectionOptions, "ca" | "host" | "servername" | "rejectUnauthorized" | "minVersion"> => ({
  ca,
  host,
  // An address isn't sent as a name (RFC 6066 §3), and is then what the certificate has to be for.
  servername: serverName ?? "",
  rejectUnauthorized: true,
  minVersion: "TLSv1.2",
});
