import { DrydockError, quote } from "@drydock/evidence";
import { formatIp, parseIp } from "../address/ip-text.js";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Where a broker listens: `127.0.0.1:3128` or `[::1]:3128`; port 0 takes a free one. No name: what
 * it would be looked up to depends on files and servers that nobody named.
 *
 * @throws DrydockError LISTEN_INVALID
 */
export const parseListen = (text: string): ListenAddress => {
  const [, bracketed, plain = "", digits = ""] =
    /^(?:\[([^\]]+)\]|([0-9.]+)):(0|[1-9][0-9]{0,4})$/.exec(text) ?? [];
  const ip = parseIp(bracketed ?? plain);
  const port = Number(digits);
  if (ip !== null && (bracketed !== undefined) === (ip.family === 6) && port <= 65_535)
    return { host: formatIp(ip), port };
  throw new DrydockError("LISTEN_INVALID", `${quote(text)} is no address and port to listen on`, {
    fix: "Write an IP address of this machine and a port: 127.0.0.1:3128 or [::1]:3128.",
  });
};

export const formatListen = ({ host, port }: ListenAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
