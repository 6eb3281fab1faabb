import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { HostListener } from "../gate/index.js";
import type { NetworkNamespace } from "../nft/index.js";
import { inside } from "../nft/inside.js";
import { type Listener, parseListeners } from "./listeners.js";

/** Where a listener leads. */
type Forward = Listener & { readonly guest: NonNullable<HostListener["guest"]> };

/** Docker's name of the program that listens for a container on the host's loopback. */
const PROXY = "docker-proxy";

/**
 * Where the engine's published ports lead: what each process that listens for a container was started
 * with. What the engine says of a container isn't asked, since another process may have the port.
 *
 * @throws DrydockError HOST_LISTING, TOOL_…
 */
export const observeForwards = async (namespace: NetworkNamespace): Promise<readonly Forward[]> => {
  const text = (await inside(namespace, "ss", ["-H", "-ltnup"])).toString("utf8");
  const pids = new Set([...text.matchAll(/\bpid=(\d+)\b/g)].map(([, pid]) => Number(pid)));
  return [...pids].flatMap((pid): readonly Forward[] => {
    const guest = guestOf(pid);
    return guest === null
      ? []
      : parseListeners(text, pid).map((listener) => ({ ...listener, guest }));
  });
};

/** null: it isn't the engine's, or has ended. */
const guestOf = (pid: number): Forward["guest"] | null => {
  try {
    if (basename(readlinkSync(`/proc/${pid}/exe`)) !== PROXY) return null;
    return guestIn(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"));
  } catch {
    // It ended since it was listed: then its listener leads nowhere.
    return null;
  }
};

/** The container's end among the arguments of a proxy; null: it has none. */
export const guestIn = (argv: readonly string[]): Forward["guest"] | null => {
  const value = (name: string): string | undefined => argv[argv.indexOf(name) + 1];
  if (!argv.includes("-container-ip") || !argv.includes("-container-port")) return null;
  const address = value("-container-ip") ?? "";
  const port = Number(value("-container-port"));
  const isPort = Number.isInteger(port) && port > 0 && port <= 65_535;
  return /^[0-9.]{7,15}$/.test(address) && isPort ? { address, port } : null;
};
