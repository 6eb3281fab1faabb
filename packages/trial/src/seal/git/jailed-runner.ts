import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { composeGitCommand, type GitLayout } from "./command.js";
import { startBoundedProcess } from "./process.js";
import type { GitCall, GitRunner } from "./runner.js";

/** The sealer's own user and group: outside the ranges of systemd and Debian. */
export const SEALER_ID = 1_900_000_001;

const INSIDE: GitLayout = { vault: "/vault", objects: "/objects", workTree: "/work" };

/** No single file that git writes (a pack) needs to be larger; the vault's disk is the host's. */
const LARGEST_FILE = 8 * 1024 ** 3;

/** Host paths that name resolution and TLS need; a remote call sees them, a local one does not. */
const REMOTE_FILES: readonly string[] = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"];

export interface GitJail {
  /** Host path of the compiled native launcher. */
  readonly launcher: string;
  /** An existing empty directory, used as the mount point of the private root. */
  readonly root: string;
  /** Which of the system's optional paths exist here, and what the symbolic links point to. */
  readonly system: readonly SystemPath[];
}

export type SystemPath =
  | { readonly kind: "directory" | "file"; readonly path: string; readonly source: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/**
 * Runs git behind a wall: its own user with the right to read but none to write, a private root
 * that holds the system's programs, the vault, and what the call names read-only; no network
 * unless the call has a remote; killed with its parent.
 */
export const jailedGitRunner =
  (jail: GitJail): GitRunner =>
  (call) => {
    const command = composeGitCommand(call, INSIDE);
    return startBoundedProcess({
      program: jail.launcher,
      args: jailArguments(jail, call, process.pid).concat(
        Object.entries(command.environment).flatMap(([name, value]) => [
          "--env",
          `${name}=${value}`,
        ]),
        ["--", ...command.argv],
      ),
      environment: {},
      cwd: "/",
      deadlineMs: call.deadlineMs,
      outputBytes: call.outputBytes,
      status: true,
    });
  };

/** The launcher's arguments up to the environment, in the order in which mounts are made. */
export const jailArguments = (jail: GitJail, call: GitCall, parent: number): string[] => {
  const remote = call.network === "remote";
  return [
    "run",
    ...["--status", "3"],
    ...["--unshare", remote ? "mnt,ipc,uts,pid" : "mnt,ipc,uts,pid,net"],
    ...["--root", jail.root],
    ...jail.system
      .filter((entry) => remote || entry.kind !== "file")
      .flatMap((entry) =>
        entry.kind === "link"
          ? ["--link", entry.target, entry.path]
          : ["--ro", entry.source, entry.path],
      ),
    "--dev",
    ...["--tmpfs", "/tmp", "1048576"],
    ...["--rw", call.vault, INSIDE.vault],
    ...(call.objects === undefined ? [] : ["--ro", call.objects, INSIDE.objects]),
    ...(call.workTree === undefined ? [] : ["--ro", call.workTree, INSIDE.workTree]),
    ...["--limit", "core=0"],
    ...["--limit", `fsize=${LARGEST_FILE}`],
    ...["--limit", "nofile=256"],
    ...["--uid", String(SEALER_ID), "--gid", String(SEALER_ID)],
    "--ambient-dac-read-search",
    ...["--die-with-parent", String(parent)],
    ...["--cwd", call.workTree === undefined ? INSIDE.vault : INSIDE.workTree],
  ];
};

/** Looks at this machine: `/lib` and friends are links where /usr is merged. */
export const findSystemPaths = (): SystemPath[] =>
  ["/usr", "/bin", "/lib", "/lib64", "/etc/ssl", ...REMOTE_FILES].flatMap((path): SystemPath[] => {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return [];
    if (status.isDirectory()) return [{ kind: "directory", path, source: path }];
    if (REMOTE_FILES.includes(path)) return [{ kind: "file", path, source: realpathSync(path) }];
    return status.isSymbolicLink() ? [{ kind: "link", path, target: readlinkSync(path) }] : [];
  });
