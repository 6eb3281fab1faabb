import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { AgentError } from "./errors.js";
import type { Plant } from "./platform.js";
import { makeInRoot, resolveInRoot } from "./resolve.js";

const ROOT = { uid: 0, gid: 0 };
/** Debian's roots are 220 KB; an image that keeps more there means something else. */
const MAX_BESIDES_BYTES = 4 * 1024 * 1024;

/** Writes a file of the run's own into the commands' root. @throws AgentError plant-failed */
export const plant = (root: string, { path, contents, besides }: Plant): void => {
  try {
    const more = besides === null ? "" : readBesides(root, besides);
    const file = openSync(
      `${makeInRoot(root, dirname(path), ROOT)}/${basename(path)}`,
      // Never through what the image, or a command, has put there.
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW,
    );
    try {
      writeFileSync(file, contents + more);
      fchmodSync(file, 0o444);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new AgentError("plant-failed", path, error);
  }
};

/** "" when the image has no such file. */
const readBesides = (root: string, path: string): string => {
  let file: number;
  try {
    file = openSync(
      `${resolveInRoot(root, dirname(path))}/${basename(path)}`,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch (error) {
    if (isAbsent(error)) return "";
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    if (size > MAX_BESIDES_BYTES) throw new AgentError("plant-failed", `${path} is too large`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
};

/** No file, no directory for it, or a link: what isn't plainly there isn't taken. */
const isAbsent = (error: unknown): boolean =>
  error instanceof AgentError ||
  ["ENOENT", "ELOOP"].includes(String((error as { code?: string }).code));
