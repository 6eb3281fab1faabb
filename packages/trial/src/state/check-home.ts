import { statfsSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import { nearest } from "./nearest.js";

/**
 * File systems that hold the kernel's own objects, by the numbers of linux/magic.h: nothing can be
 * kept there, and in /proc the kernel says of every new directory that its parent is missing.
 */
const NOT_FOR_FILES: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x1cd1, // devpts
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0xcafe4a11, // bpf
]);

/**
 * Guard: the state directory, or the nearest that exists above it, has to be a directory on a file
 * system for files. Asked for before anything else is read there, so that a slip in DRYDOCK_HOME
 * isn't taken for a halt record that can't be read.
 *
 * @throws DrydockError HOME_INVALID
 */
export const requireHome = (state: string): void => {
  const place = nearest(state);
  // Who may not look is told so by whatever looks next.
  if (place === null) return;
  if (!place.isDirectory) throw invalid(`${state} can't be a directory: ${place.path} is not one`);
  if (NOT_FOR_FILES.has(statfsSync(place.path).type))
    throw invalid(`${state} can't hold files: ${place.path} is the kernel's own`);
};

const invalid = (message: string): DrydockError =>
  new DrydockError("HOME_INVALID", message, {
    fix: "Set DRYDOCK_HOME (or XDG_STATE_HOME) to a directory on a disk, such as ~/.local/state/drydock, or unset it.",
  });
