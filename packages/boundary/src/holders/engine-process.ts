import { statSync } from "node:fs";
import { DrydockError, quote } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { NetworkNamespace } from "../nft/index.js";
import { inside } from "../nft/inside.js";
import { ENGINES } from "./engines.js";

/**
 * The process of the engine that listens on a socket, in the appliance's own namespace.
 *
 * @throws DrydockError HOLDERS_UNOBSERVABLE, TOOL_…
 */
export const engineProcess = async (
  namespace: NetworkNamespace,
  socket: string,
): Promise<number> => {
  const listing = (await inside(namespace, "ss", ["-H", "-xlpe"])).toString("utf8");
  const pid = ownerOf(listing, inodeOf(socket));
  if (pid !== null) return pid;
  if (!namesFiles(listing)) {
    throw new DrydockError<BoundaryCode>(
      "HOLDERS_UNOBSERVABLE",
      "this kernel doesn't say which file a socket has",
      { fix: "Load its module unix_diag." },
    );
  }
  throw new DrydockError<BoundaryCode>(
    "HOLDERS_UNOBSERVABLE",
    `no engine of this namespace listens on ${quote(socket)}`,
    { fix: "Name the socket of the engine that runs in this namespace." },
  );
};

/** By the socket's file, since a path has several spellings. null: there is none, or no engine's. */
export const ownerOf = (listing: string, inode: number | null): number | null => {
  const lines = listing.split("\n").filter((line) => / ino:(\d+) /.exec(line)?.[1] === `${inode}`);
  const owners = lines.flatMap((line) => [...line.matchAll(/\("([^"]*)",pid=(\d+),fd=\d+\)/g)]);
  const engine = owners.find(([, name]) => ENGINES.has(name ?? ""));
  return engine === undefined ? null : Number(engine[2]);
};

/** Without unix_diag, ss reads /proc/net/unix, which has paths alone. No file at all: nobody listens. */
export const namesFiles = (listing: string): boolean =>
  !/ \//.test(listing) || / ino:\d+ /.test(listing);

const inodeOf = (socket: string): number | null => {
  try {
    return statSync(socket).ino;
  } catch {
    // Not there: then nobody listens on it, which is the answer.
    return null;
  }
};
