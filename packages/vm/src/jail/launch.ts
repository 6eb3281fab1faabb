import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { quote } from "@drydock/evidence";
import { vmError } from "../errors.js";
import { identifyProcess, type ProcessIdentity } from "./process.js";

export type Namespace = "mnt" | "net" | "ipc" | "uts" | "pid";

/** Carried out in order. Sources are paths of the host and may not end in a symbolic link. */
export type MountStep =
  | { readonly kind: "ro" | "rw"; readonly source: string; readonly target: string }
  | { readonly kind: "tmpfs"; readonly target: string; readonly bytes: number }
  | { readonly kind: "link"; readonly to: string; readonly target: string }
  | { readonly kind: "dir"; readonly target: string }
  /** A /dev of its own with null, zero and urandom; `device` adds one more node, owner's alone. */
  | { readonly kind: "dev" }
  | { readonly kind: "device"; readonly name: string }
  /** A process list that shows the program's own processes only. */
  | { readonly kind: "proc" }
  /** `/fds`: the program's own descriptors, to open a passed one by name; nothing else of /proc. */
  | { readonly kind: "fds" };

export type Limit = "as" | "core" | "cpu" | "fsize" | "memlock" | "nofile" | "nproc";

export interface LaunchSpec {
  /** The compiled `drydock-native`. */
  readonly native: string;
  /** Absolute path in the new root; `argv` excludes the program's own name. */
  readonly program: string;
  readonly argv: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly namespaces: readonly Namespace[];
  /** An existing directory that becomes the private root; null keeps the host's, with `mounts`. */
  readonly root: string | null;
  readonly mounts: readonly MountStep[];
  /** Null stays root. Supplementary groups and the bounding set are emptied in any other case. */
  readonly credentials: {
    readonly uid: number;
    readonly gid: number;
    /** Leaves CAP_DAC_READ_SEARCH: to read a source tree whatever its modes, and write nowhere. */
    readonly readAnything?: boolean;
  } | null;
  /** `cgroup.procs` files to enter before anything else happens. */
  readonly cgroups: readonly string[];
  readonly limits: Readonly<Partial<Record<Limit, number>>>;
  /** Killed when the launching process dies. */
  readonly dieWithParent: boolean;
  /** Descriptors 0–2, then 3 and up in this order; "pipe" gives a stream in `child.stdio`. */
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  readonly descriptors: readonly Stdio[];
  /** Listening sockets that the program finds as descriptors `number`; they belong to root. */
  readonly listeners: readonly {
    readonly number: number;
    readonly gid: number;
    readonly path: string;
  }[];
  /** Refuse to start unless this descriptor is a fully sealed memfd of that many bytes. */
  readonly sealedMemory: { readonly descriptor: number; readonly bytes: number } | null;
  readonly cwd?: string;
}

/** A stream has to have a descriptor already, as a connected socket has. */
export type Stdio = "ignore" | "pipe" | "inherit" | number | Socket;

export interface Launched extends ProcessIdentity {
  readonly child: ChildProcess;
  /** Resolves when the program has ended and its streams are closed. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** A failed step is named in one line; longer is not ours. */
const MAX_STATUS_BYTES = 4096;

/**
 * Starts a program behind the walls of `spec`, and returns once it has been executed: its
 * listening sockets exist by then. `pid` is the program's own, unless it has a PID namespace, whose
 * supervisor it is then.
 *
 * @param attach sees the child before anything is awaited: the place for listeners on its streams,
 * because Node throws away what a child has said when it ends before anyone listens.
 * @throws DrydockError LAUNCH_FAILED naming the step.
 */
export const launch = async (
  spec: LaunchSpec,
  attach: (child: ChildProcess) => void = () => undefined,
): Promise<Launched> => {
  const status = 3 + spec.descriptors.length;
  const child = spawn(spec.native, launchArguments(spec, process.pid, status), {
    stdio: [...spec.stdio, ...spec.descriptors, "pipe"],
    env: {},
    cwd: "/",
    detached: true,
  });
  // Both before anything is awaited: a short program may be gone, and reaped, by then.
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  const exited = new Promise<Awaited<Launched["exited"]>>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  attach(child);
  const said = await readStatus(child, status);
  if (said !== "" || identity === undefined) {
    throw vmError("LAUNCH_FAILED", `cannot start ${spec.program}: ${quote(said.trim())}`, {
      fix: "Run `drydock doctor`; it names what this machine lacks.",
    });
  }
  return { ...identity, child, exited };
};

/** The launcher's command line; pure, so that what is sealed is what is executed. */
export const launchArguments = (
  spec: LaunchSpec,
  parent: number,
  status: number,
): readonly string[] => [
  "run",
  ...["--status", String(status)],
  ...spec.cgroups.flatMap((path) => ["--cgroup", path]),
  ...Object.entries(spec.limits).flatMap(([name, value]) => ["--limit", `${name}=${value}`]),
  ...(spec.namespaces.length > 0 ? ["--unshare", spec.namespaces.join(",")] : []),
  ...(spec.root === null ? [] : ["--root", spec.root]),
  ...spec.mounts.flatMap(mountArguments),
  ...credentialArguments(spec.credentials),
  ...(spec.dieWithParent ? ["--die-with-parent", String(parent)] : []),
  ...spec.listeners.flatMap(({ number, gid, path }) => ["--listen", `${number}`, `${gid}`, path]),
  ...spec.descriptors.flatMap((_unused, index) => ["--keep", String(3 + index)]),
  ...(spec.sealedMemory === null
    ? []
    : ["--sealed-memfd", `${spec.sealedMemory.descriptor}`, `${spec.sealedMemory.bytes}`]),
  ...(spec.cwd === undefined ? [] : ["--cwd", spec.cwd]),
  ...Object.entries(spec.environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  "--",
  spec.program,
  ...spec.argv,
];

const mountArguments = (step: MountStep): readonly string[] => {
  switch (step.kind) {
    case "ro":
    case "rw":
      return [`--${step.kind}`, step.source, step.target];
    case "tmpfs":
      return ["--tmpfs", step.target, String(step.bytes)];
    case "link":
      return ["--link", step.to, step.target];
    case "dir":
      return ["--dir", step.target];
    case "device":
      return ["--device", step.name];
    case "dev":
    case "proc":
    case "fds":
      return [`--${step.kind}`];
  }
};

const credentialArguments = (credentials: LaunchSpec["credentials"]): readonly string[] =>
  credentials === null
    ? []
    : [
        ...["--uid", String(credentials.uid), "--gid", String(credentials.gid)],
        ...(credentials.readAnything === true ? ["--ambient-dac-read-search"] : []),
      ];

/** Empty once exec has closed the pipe; otherwise what the launcher had to say. */
const readStatus = (child: ChildProcess, status: number): Promise<string> =>
  new Promise((resolve) => {
    const pipe = child.stdio[status] as Readable | null | undefined;
    if (pipe === null || pipe === undefined) {
      child.once("error", (error) => resolve(error.message));
      return;
    }
    let said = "";
    pipe.setEncoding("utf8");
    pipe.on("data", (text: string) => {
      said = (said + text).slice(0, MAX_STATUS_BYTES);
    });
    pipe.once("close", () => resolve(said));
    child.once("error", (error) => resolve(error.message));
  });
