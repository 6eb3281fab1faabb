import type { NetworkNamespace } from "../nft/index.js";
import { inside } from "../nft/inside.js";
import { ENGINES } from "./engines.js";

/** Its name cut to what the kernel keeps of one. It keeps a container, and runs programs in it. */
const SHIM = "containerd-shim";

/** netid, state, two queues, the local address and its number, then who holds the socket. */
const LINE = /^u_\S+\s+LISTEN\s+\d+\s+\d+\s+(\/.*?)\s+\d+\s+\*\s+\d+\s+users:(.*)$/;

/**
 * Where the engines of a namespace and their helpers listen, beside the API that somebody named: an
 * engine's containerd does what it is told by whoever has its socket, which is where the engine chose.
 *
 * @throws DrydockError TOOL_…
 */
export const engineSockets = async (namespace: NetworkNamespace): Promise<readonly string[]> =>
  socketsIn((await inside(namespace, "ss", ["-H", "-xlp"])).toString("utf8"));

export const socketsIn = (listing: string): readonly string[] =>
  listing.split("\n").flatMap((line) => {
    const [, path, owners = ""] = LINE.exec(line.trimEnd()) ?? [];
    const names = [...owners.matchAll(/\("([^"]*)",pid=\d+,fd=\d+\)/g)].map(
      ([, name = ""]) => name,
    );
    const isEngine = names.some((name) => ENGINES.has(name) || name === SHIM);
    return path !== undefined && isEngine ? [path] : [];
  });
