import { constants } from "node:fs";
import { sealError } from "../errors.js";
import { display } from "../names/display.js";

const SETUID_OR_SETGID = 0o6000;

const REFUSED: ReadonlyMap<number, string> = new Map([
  [constants.S_IFSOCK, "a socket"],
  [constants.S_IFIFO, "a FIFO"],
  [constants.S_IFCHR, "a character device"],
  [constants.S_IFBLK, "a block device"],
]);

/**
 * What a file of this mode becomes in the archive. A setgid directory passes as a plain one (shared
 * directories have the bit); a setuid or setgid file is refused, because dropping the bit silently
 * would run something else than what was there.
 *
 * @throws FILE_TYPE_REFUSED, SETUID_REFUSED naming the path.
 */
export const checkFileType = (path: string, mode: number): "file" | "directory" | "link" => {
  const type = mode & constants.S_IFMT;
  if (type === constants.S_IFDIR) return "directory";
  if (type === constants.S_IFLNK) return "link";
  if (type !== constants.S_IFREG) {
    throw sealError("FILE_TYPE_REFUSED", `${display(path)} is ${REFUSED.get(type) ?? "no file"}`, {
      fix: "remove it from the source",
    });
  }
  if ((mode & SETUID_OR_SETGID) === 0) return "file";
  throw sealError("SETUID_REFUSED", `${display(path)} is setuid or setgid`, {
    fix: "clear the bit with chmod u-s,g-s",
  });
};
