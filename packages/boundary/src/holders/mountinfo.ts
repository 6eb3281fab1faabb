import { readFileSync, realpathSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import { isWithin } from "./within.js";

/** A directory or file of a file system, and where it is: a line of proc_pid_mountinfo(5). */
export interface Mount {
  /** `major:minor`. */
  readonly device: string;
  /** Within the file system. */
  readonly root: string;
  readonly place: string;
}

/** A file in its file system, whatever leads to it. */
export interface Whereabouts {
  readonly device: string;
  readonly path: string;
}

/** Spaces, tabs, line breaks and backslashes are written in octal. */
export const parseMountinfo = (text: string): readonly Mount[] =>
  text.split("\n").flatMap((line) => {
    const fields = line.split(" ").map((field) => field.replace(/\\([0-7]{3})/g, fromOctal));
    const [, , device, root, place] = fields;
    return device === undefined || root === undefined || place === undefined
      ? []
      : [{ device, root, place }];
  });

const fromOctal = (_escape: string, digits: string): string =>
  String.fromCharCode(Number.parseInt(digits, 8));

/** @throws DrydockError HOLDERS_UNOBSERVABLE; [] of a process that has ended */
export const mountsOf = (pid: number | "self"): readonly Mount[] => {
  try {
    return parseMountinfo(readFileSync(`/proc/${pid}/mountinfo`, "latin1"));
  } catch (cause) {
    // ENOENT and ESRCH of one that is gone, EINVAL of one whose end nobody has asked for yet.
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (["ENOENT", "ESRCH", "EINVAL"].includes(code)) return [];
    throw new DrydockError<BoundaryCode>(
      "HOLDERS_UNOBSERVABLE",
      `the mounts of process ${pid} can't be read`,
      { fix: "Ask as root, where the engine's processes are seen.", cause },
    );
  }
};

/** Of those of these files that are there. */
export const whereaboutsOf = (
  files: readonly string[],
  mounts: readonly Mount[],
): readonly Whereabouts[] =>
  files.flatMap((file) => {
    try {
      return locate(realpathSync(file), mounts) ?? [];
    } catch {
      // It isn't there: then no mount has it.
      return [];
    }
  });

/** A path without links: it is in the last of the longest mounts above it. */
export const locate = (path: string, mounts: readonly Mount[]): Whereabouts | null => {
  const above = mounts.filter(({ place }) => isWithin(path, place));
  const longest = Math.max(...above.map(({ place }) => place.length));
  const mount = above.findLast(({ place }) => place.length === longest);
  if (mount === undefined) return null;
  const rest = mount.place === "/" ? path : path.slice(mount.place.length);
  return { device: mount.device, path: mount.root === "/" ? rest : `${mount.root}${rest}` };
};
