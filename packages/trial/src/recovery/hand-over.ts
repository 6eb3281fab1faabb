import { chmodSync, chownSync, lchownSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Gives finished evidence to the user who started the run; nobody writes it after this. */
export const handOver = (directory: string, uid: number, gid: number): void => {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    // Nothing but plain files and directories is ever made here; a link is not followed.
    if (lstatSync(path).isDirectory()) handOver(path, uid, gid);
    else {
      lchownSync(path, uid, gid);
      if (lstatSync(path).isFile()) chmodSync(path, 0o600);
    }
  }
  chownSync(directory, uid, gid);
  chmodSync(directory, 0o700);
};
