import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { NetworkNamespace } from "../nft/index.js";
import { inside } from "../nft/inside.js";
import { ENGINES } from "./engines.js";
import type { HostAccess } from "./inventory.js";
import { isEnginesContainerd, type Sockets } from "./is-engines-containerd.js";
import { parseUnixConnections } from "./unix-connections.js";

/** A host with ten thousand connections lists a megabyte; more is refused and not cut. */
const MAX_LISTING_BYTES = 16 * 1024 * 1024;

/**
 * Looks in the appliance's namespace for an API that listens on a network, and for engines beside
 * the one that is bound.
 *
 * @param engine the bound engine's process; its children are its own, and so is its containerd.
 * @throws DrydockError TOOL_…, HOLDERS_UNOBSERVABLE
 */
export const observeHostAccess = async (
  namespace: NetworkNamespace,
  engine: number,
): Promise<HostAccess> => {
  const family = processesIn(namespace);
  const bound = family.find(({ pid }) => pid === engine);
  if (bound === undefined || !ENGINES.has(bound.name)) {
    throw new DrydockError<BoundaryCode>(
      "HOLDERS_UNOBSERVABLE",
      `process ${engine} isn't an engine in this namespace`,
      { fix: "Name the socket of the engine that runs in this namespace." },
    );
  }
  const engines = family.filter(({ name }) => ENGINES.has(name));
  const beside = engines.filter(({ pid }) => pid !== engine && !isBelow(pid, engine, family));
  const own = await containerdsOf(engine, beside, namespace);
  const otherEngines = beside
    .filter(({ pid }) => !own.has(pid))
    .map(({ name, pid }) => `${name} (process ${pid})`);
  const pids = new Set(engines.map(({ pid }) => pid));
  const listing = (await inside(namespace, "ss", ["-H", "-ltnp"])).toString("utf8");
  return { api: listing.split("\n").flatMap((line) => apiOf(line, pids)), otherEngines };
};

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

const containerdsOf = async (
  engine: number,
  beside: readonly Process[],
  namespace: NetworkNamespace,
): Promise<ReadonlySet<number>> => {
  const candidates = beside.filter(({ name }) => name === "containerd");
  if (candidates.length === 0) return new Set();
  const options = { maxBytes: MAX_LISTING_BYTES };
  const listing = (await inside(namespace, "ss", ["-H", "-x"], options)).toString("utf8");
  const connections = parseUnixConnections(listing);
  const sockets = socketsOf(engine);
  const own = candidates.filter(({ pid }) =>
    isEnginesContainerd(socketsOf(pid), sockets, connections),
  );
  return new Set(own.map(({ pid }) => pid));
};

const socketsOf = (pid: number): Sockets => {
  const directory = `/proc/${pid}/fd`;
  const links = readdirSync(directory).flatMap((descriptor): readonly string[] => {
    try {
      return [readlinkSync(`${directory}/${descriptor}`)];
    } catch {
      // Closed meanwhile: then it isn't open.
      return [];
    }
  });
  const numbers = links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  return new Set(numbers.map(Number));
};

const apiOf = (line: string, pids: ReadonlySet<number>): readonly string[] => {
  const [, , , local] = line.trim().split(/\s+/);
  const owners = [...line.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid));
  return local !== undefined && owners.some((pid) => pids.has(pid)) ? [`tcp ${local}`] : [];
};

const processesIn = ({ identity }: NetworkNamespace): readonly Process[] =>
  readdirSync("/proc")
    .filter((name) => /^[1-9][0-9]*$/.test(name))
    .flatMap((name): readonly Process[] => {
      try {
        const { dev, ino } = statSync(`/proc/${name}/ns/net`, { bigint: true });
        if (`${dev}:${ino}` !== identity) return [];
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        const end = stat.lastIndexOf(")");
        const parent = Number(stat.slice(end + 2).split(" ")[1]);
        return [{ pid: Number(name), parent, name: stat.slice(stat.indexOf("(") + 1, end) }];
      } catch {
        // It ended meanwhile, or nobody may look at it: then it isn't a process of the appliance's.
        return [];
      }
    });

const isBelow = (pid: number, ancestor: number, family: readonly Process[]): boolean => {
  const parents = new Map(family.map(({ pid: child, parent }) => [child, parent]));
  for (let at = parents.get(pid); at !== undefined; at = parents.get(at)) {
    if (at === ancestor) return true;
  }
  return false;
};
