import {
  chmodSync,
  chownSync,
  closeSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from "node:fs";
import { join } from "node:path";
import { CONTROLLER_UID, type Slot } from "@drydock/vm";
import { type RunLayout, runLayout } from "../home/index.js";

/**
 * Makes a run's evidence directory: the controller writes all of it but the port's log and the
 * artifacts, which only the port process writes; the controller may read that log.
 */
export const createRunDirectory = (runs: string, run: string, slot: Slot): RunLayout => {
  const layout = runLayout(join(runs, run));
  for (const directory of [layout.directory, layout.logs]) {
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, CONTROLLER_UID, CONTROLLER_UID);
  }
  const port = layout.log("port");
  for (const file of [port.log, port.checkpoints]) {
    closeSync(openSync(file, "wx", 0o640));
    chownSync(file, slot.port.uid, CONTROLLER_UID);
    chmodSync(file, 0o640);
  }
  mkdirSync(layout.artifacts, { mode: 0o700 });
  chownSync(layout.artifacts, slot.port.uid, slot.port.gid);
  return layout;
};

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
