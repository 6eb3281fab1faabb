import { DrydockError, quote } from "@drydock/evidence";
import { formatIp, parseIp } from "../address/ip-text.js";
import { readPort } from "../authority/port.js";
import type { ResolverAddress } from "./model.js";

/** MAXNS of resolv.conf(5). */
export const MAX_RESOLVERS = 3;

export const DNS_PORT = 53;

export const isCanonicalIp = (text: string): boolean => {
  const ip = parseIp(text);
  return ip !== null && formatIp(ip) === text;
};

/**
 * A name server as the command line names it: `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or
 * `[2001:db8::53]:5353`.
 *
 * @throws DrydockError RESOLVER_INVALID
 */
export const parseResolver = (text: string): ResolverAddress => {
  const [, bracketed, plain, digits] =
    /^(?:\[([^\]]*)\]|([0-9]+\.[0-9.]+))(?::(.*))?$/.exec(text) ?? [];
  const ip = parseIp(bracketed ?? plain ?? text);
  const port = digits === undefined ? DNS_PORT : readPort(digits);
  if (ip !== null && port !== null && (bracketed === undefined || ip.family === 6))
    return { address: formatIp(ip), port };
  throw new DrydockError("RESOLVER_INVALID", `${quote(text)} is not the address of a name server`, {
    fix: "Write an IP address, with a port if it isn't 53: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.",
  });
};

/**
 * The `nameserver` lines of a resolv.conf(5), for a policy that names no resolver itself. Nothing
 * else of it is used: no search list, no option.
 *
 * @param file the path it was read from, for messages.
 * @throws DrydockError RESOLVER_NONE
 */
export const resolversFromResolvConf = (text: string, file: string): readonly ResolverAddress[] => {
  const servers = text.split("\n").flatMap((line) => {
    const [, server] = /^nameserver[ \t]+([^ \t\r]+)/.exec(line) ?? [];
    // With a zone it means a link of this host, which isn't to be found in a manifest.
    const ip = server === undefined ? null : parseIp(server);
    return ip === null ? [] : [formatIp(ip)];
  });
  const distinct = [...new Set(servers)].slice(0, MAX_RESOLVERS);
  if (distinct.length > 0) return distinct.map((address) => ({ address, port: DNS_PORT }));
  throw new DrydockError("RESOLVER_NONE", `${file} names no name server by a plain address`, {
    fix: "Name one with --resolver ADDRESS.",
  });
};
