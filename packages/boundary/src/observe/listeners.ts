import { DrydockError, quote } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";

export interface Listener {
  readonly protocol: "tcp" | "udp";
  /** As ss prints it: `127.0.0.1`, `*`, `[::1]`. */
  readonly address: string;
  readonly port: number;
}

/** netid, state, two queues, local and peer address, then who holds the socket. */
const LINE =
  /^(?<protocol>tcp|udp)\s+(?:LISTEN|UNCONN)\s+\d+\s+\d+\s+(?<address>\S+):(?<port>\d{1,5})\s+\S+(?:\s+(?<owners>users:\S+))?\s*$/;

/**
 * Sockets that answer, from `ss -H -ltnup`.
 *
 * @param pid null: whoever holds them
 * @throws DrydockError HOST_LISTING for a line that isn't understood: it may be a listener
 */
export const parseListeners = (text: string, pid: number | null): readonly Listener[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line): readonly Listener[] => {
      const { protocol, address, port, owners = "" } = LINE.exec(line)?.groups ?? {};
      if ((protocol !== "tcp" && protocol !== "udp") || address === undefined) {
        throw new DrydockError<BoundaryCode>("HOST_LISTING", `ss says ${quote(line)}`, {
          fix: "Use iproute2 from 5.10 on, such as Debian's.",
        });
      }
      const isOwn = pid === null || new RegExp(`\\bpid=${pid}\\b`).test(owners);
      return isOwn ? [{ protocol, address, port: Number(port) }] : [];
    });
