import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import {
  CONTROLLER_UID,
  ensureDirectory,
  type Launched,
  type LaunchSpec,
  launch,
  RUNTIME_DIRECTORY,
  type Slot,
} from "@drydock/vm";
import type { RunLayout } from "../home/index.js";
import { findSystemPaths } from "../seal/index.js";
import {
  CONTROLLER_ENVIRONMENT,
  EGRESS_ENVIRONMENT,
  PORT_ENVIRONMENT,
  REAPER_ENVIRONMENT,
} from "./environment.js";
import type { Program } from "./program.js";

const STATE_MOUNT = join(RUNTIME_DIRECTORY, "state");
const LIBRARY_MOUNT = join(RUNTIME_DIRECTORY, "lib");
const NODE_MOUNT = join(RUNTIME_DIRECTORY, "node");

/** Mount points exist on the host, empty; what is mounted there exists in one process's view only. */
export const ensureMountPoints = ({ parts }: Program): void => {
  const library = parts.map((part) => join(LIBRARY_MOUNT, part));
  for (const directory of [RUNTIME_DIRECTORY, STATE_MOUNT, LIBRARY_MOUNT, ...library])
    ensureDirectory(directory, 0o711);
  if (!existsSync(NODE_MOUNT)) closeSync(openSync(NODE_MOUNT, "a", 0o644));
};

const inLibrary = (program: Program, path: string): string =>
  join(LIBRARY_MOUNT, path.slice(program.root.length));

const partsUnder = (target: string, { root, parts }: Program): LaunchSpec["mounts"] =>
  parts.map((part) => ({ kind: "ro", source: join(root, part), target: join(target, part) }));

export interface ControllerProcess {
  readonly native: string;
  readonly program: Program;
  readonly state: string;
  readonly run: string;
  /** Descriptors 3 to 5, and 6 in a run with a broker. */
  readonly launcher: Socket;
  readonly port: Socket;
  readonly reaper: Socket;
  readonly egress: Socket | null;
  readonly ceiling: string;
  readonly cgroups: readonly string[];
  readonly stderr: "pipe" | "inherit" | "ignore";
}

/** The controller: its own user; the state directory is the one thing it may write. */
export const startController = (options: ControllerProcess): Promise<Launched> =>
  launch({
    ...common(options.native, options.cgroups, options.stderr),
    environment: CONTROLLER_ENVIRONMENT,
    program: NODE_MOUNT,
    argv: [
      inLibrary(options.program, options.program.controller),
      STATE_MOUNT,
      join(STATE_MOUNT, "runs", options.run),
      options.ceiling,
    ],
    namespaces: ["mnt", "net", "ipc", "uts"],
    root: null,
    mounts: [
      ...partsUnder(LIBRARY_MOUNT, options.program),
      { kind: "ro", source: process.execPath, target: NODE_MOUNT },
      { kind: "rw", source: options.state, target: STATE_MOUNT },
    ],
    credentials: { uid: CONTROLLER_UID, gid: CONTROLLER_UID },
    limits: { core: 0, nofile: 256 },
    descriptors: [
      ...[options.launcher, options.port, options.reaper],
      ...(options.egress === null ? [] : [options.egress]),
    ],
  });

export interface PortProcess {
  readonly native: string;
  readonly program: Program;
  readonly slot: Slot;
  readonly layout: RunLayout;
  /** Directory that will hold the sealed source archive, or nothing. */
  readonly staging: string;
  readonly controller: Socket;
  readonly user: Socket;
  readonly cgroups: readonly string[];
  readonly stderr: "pipe" | "inherit" | "ignore";
}

/** The port process: reads all that guest and VMM say, so it sees as little as Node can live with. */
export const startPort = (options: PortProcess): Promise<Launched> => {
  const { slot, layout } = options;
  const root = join(slot.directory, "port");
  mkdirSync(root, { mode: 0o700 });
  const log = layout.log("port");
  return launch({
    ...common(options.native, options.cgroups, options.stderr),
    environment: PORT_ENVIRONMENT,
    program: "/node",
    argv: [
      inJail(options.program, options.program.port),
      "/out/port.jsonl",
      "/out/port.checkpoint",
      "/out/artifacts",
      "/in/source.tar",
    ],
    namespaces: ["mnt", "net", "ipc", "uts", "pid"],
    root,
    mounts: [
      ...nodeMounts(options.program),
      { kind: "ro", source: slot.sockets, target: slot.sockets },
      { kind: "rw", source: log.log, target: "/out/port.jsonl" },
      { kind: "rw", source: log.checkpoints, target: "/out/port.checkpoint" },
      { kind: "rw", source: layout.artifacts, target: "/out/artifacts" },
      { kind: "ro", source: options.staging, target: "/in" },
    ],
    credentials: slot.port,
    limits: { core: 0, nofile: 512 },
    descriptors: [options.controller, options.user],
  });
};

export interface EgressProcess {
  readonly native: string;
  readonly program: Program;
  readonly slot: Slot;
  readonly layout: RunLayout;
  /** Descriptors 3 and 4. */
  readonly controller: Socket;
  readonly launcher: Socket;
  readonly cgroups: readonly string[];
  readonly stderr: "pipe" | "inherit" | "ignore";
}

/** Connections at once, twice, with those that are asked for names, and Node's own. */
const EGRESS_FILES = 1024;

/**
 * The broker: the one process of a run with a network, the launcher's own. Of files it sees its
 * code, its log and the VMM's sockets, of which it can open one.
 */
export const startEgress = (options: EgressProcess): Promise<Launched> => {
  const { slot, layout, program } = options;
  const root = join(slot.directory, "egress");
  mkdirSync(root, { mode: 0o700 });
  const log = layout.log("egress");
  return launch({
    ...common(options.native, options.cgroups, options.stderr),
    environment: EGRESS_ENVIRONMENT,
    program: "/node",
    argv: [inJail(program, program.egress), "/out/egress.jsonl", "/out/egress.checkpoint"],
    namespaces: ["mnt", "ipc", "uts", "pid"],
    root,
    mounts: [
      ...nodeMounts(program),
      { kind: "ro", source: slot.sockets, target: slot.sockets },
      { kind: "rw", source: log.log, target: "/out/egress.jsonl" },
      { kind: "rw", source: log.checkpoints, target: "/out/egress.checkpoint" },
    ],
    credentials: slot.egress,
    limits: { core: 0, nofile: EGRESS_FILES },
    descriptors: [options.controller, options.launcher],
  });
};

const JAILED_LIBRARY = "/lib-drydock";

const inJail = (program: Program, path: string): string =>
  join(JAILED_LIBRARY, path.slice(program.root.length));

/** What Node and our code need in a root of their own. */
const nodeMounts = (program: Program): LaunchSpec["mounts"] => [
  ...findSystemPaths()
    .filter(({ kind, path }) => kind !== "file" && path !== "/etc/ssl")
    .map((entry): LaunchSpec["mounts"][number] =>
      entry.kind === "link"
        ? { kind: "link", to: entry.target, target: entry.path }
        : { kind: "ro", source: entry.source, target: entry.path },
    ),
  ...partsUnder(JAILED_LIBRARY, program),
  { kind: "ro", source: process.execPath, target: "/node" },
  { kind: "dev" },
  { kind: "proc" },
];

export interface ReaperProcess {
  readonly native: string;
  readonly program: Program;
  readonly slot: Slot;
  readonly state: string;
  /** Descriptors 3 and 4: a close of either without a good-bye ends the run. They close with it. */
  readonly launcher: Socket;
  readonly controller: Socket;
}

/** Until the controller sets the first deadline: the start of two Node processes. */
const REAPER_START_MS = 120_000;

/** The reaper: root, waits in the native helper, and outlives both who could tell it to act. */
export const startReaper = async (options: ReaperProcess): Promise<Launched> => {
  const reaper = await launch({
    ...common(options.native, [], "inherit"),
    environment: REAPER_ENVIRONMENT,
    program: options.native,
    argv: [
      "reap",
      ...["--within", String(REAPER_START_MS)],
      ...["--watch", "3", "--watch", "4"],
      "--",
      process.execPath,
      options.program.reaper,
      String(options.slot.number),
      options.slot.run,
      options.state,
    ],
    namespaces: [],
    root: null,
    mounts: [],
    credentials: null,
    dieWithParent: false,
    limits: { core: 0 },
    descriptors: [options.launcher, options.controller],
    cwd: dirname(options.native),
  });
  // It outlives this process anyway; one that hangs must not keep it.
  reaper.child.unref();
  return reaper;
};

const common = (
  native: string,
  cgroups: readonly string[],
  stderr: "pipe" | "inherit" | "ignore",
): Pick<
  LaunchSpec,
  "native" | "cgroups" | "dieWithParent" | "stdio" | "listeners" | "sealedMemory"
> => ({
  native,
  cgroups,
  dieWithParent: true,
  stdio: ["ignore", "ignore", stderr],
  listeners: [],
  sealedMemory: null,
});
