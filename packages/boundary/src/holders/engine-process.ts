import { type Stats, statSync } from "node:fs";
import { DrydockError, quote } from "@drydock/evidence";
import { type BoundaryCode, refuse } from "../codes.js";
import type { NetworkNamespace } from "../nft/index.js";
import { inside } from "../nft/inside.js";
import { ENGINES } from "./engines.js";

/**
 * The process of the engine that listens on a socket, in the appliance's own namespace.
 *
 * @throws DrydockError HOLDERS_UNOBSERVABLE, TOOL_…
 */
export const engineProcess = async (namespace: NetworkNamespace, socket: string): Promise<number> =>
  (await engineOn(namespace, socket)) ??
  refuse("HOLDERS_UNOBSERVABLE", `no engine of this namespace listens on ${quote(socket)}`, FIX);

/**
 * Guard: what an engine says is compared with what a namespace holds, and names, addresses and
 * numbers of interfaces are the same in two that were made alike. So the engine that answers has to
 * be a process of the namespace.
 *
 * @throws DrydockError APPLY_ENGINE_ELSEWHERE, HOLDERS_UNOBSERVABLE, TOOL_…
 */
export const requireEngineInside = async (
  namespace: NetworkNamespace,
  socket: string,
): Promise<void> => {
  if ((await engineOn(namespace, socket)) !== null) return;
  refuse("APPLY_ENGINE_ELSEWHERE", `no engine of this namespace listens on ${quote(socket)}`, FIX);
};

const FIX = { fix: "Name the socket of the engine that runs in this namespace." };

/** null: whoever listens there isn't an engine, or isn't one of this namespace. */
const engineOn = async (namespace: NetworkNamespace, socket: string): Promise<number | null> => {
  // Sockets that were made in the namespace; a process may have taken one of them elsewhere.
  const listing = (await inside(namespace, "ss", ["-H", "-xlpe"])).toString("utf8");
  const file = statOf(socket);
  const engine = enginesOn(listing, file?.ino ?? null).find(
    ({ pid, path }) => isSameFile(file, statOf(`/proc/${pid}/root${path}`)) && isIn(namespace, pid),
  );
  if (engine !== undefined) return engine.pid;
  if (namesFiles(listing)) return null;
  throw new DrydockError<BoundaryCode>(
    "HOLDERS_UNOBSERVABLE",
    "this kernel doesn't say which file a socket has",
    { fix: "Load its module unix_diag." },
  );
};

/** netid, state, two queues, the local address and its number, then who holds it, then its file. */
const LINE =
  /^u_\S+\s+LISTEN\s+\d+\s+\d+\s+(?<path>\/.*?)\s+\d+\s+\*\s+\d+\s+users:(?<owners>.*) ino:(?<inode>\d+) /;

interface Listener {
  readonly pid: number;
  /** As it was bound, which a process has in its own root directory. */
  readonly path: string;
}

/**
 * Engines that listen on a file of this number, which another file system may have too. By the
 * socket's file, since a path has several spellings.
 */
export const enginesOn = (listing: string, inode: number | null): readonly Listener[] =>
  listing.split("\n").flatMap((line) => {
    const { path = "", owners = "", inode: shown } = LINE.exec(line)?.groups ?? {};
    if (shown === undefined || shown !== `${inode}`) return [];
    return [...owners.matchAll(/\("([^"]*)",pid=(\d+),fd=\d+\)/g)]
      .filter(([, name = ""]) => ENGINES.has(name))
      .map(([, , pid]) => ({ pid: Number(pid), path }));
  });

/** Without unix_diag, ss reads /proc/net/unix, which has paths alone. No file at all: nobody listens. */
export const namesFiles = (listing: string): boolean =>
  !/ \//.test(listing) || / ino:\d+ /.test(listing);

const statOf = (path: string): Stats | null => {
  try {
    return statSync(path);
  } catch {
    // Not there: then nobody listens on it, which is the answer.
    return null;
  }
};

const isSameFile = (one: Stats | null, other: Stats | null): boolean =>
  one !== null && other !== null && one.dev === other.dev && one.ino === other.ino;

/** A namespace is a file of nsfs, and the same one by whichever way it is reached. */
const isIn = ({ descriptor }: NetworkNamespace, pid: number): boolean =>
  isSameFile(statOf(`/proc/self/fd/${descriptor}`), statOf(`/proc/${pid}/ns/net`));
