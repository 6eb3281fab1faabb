import { chmodSync, chownSync, closeSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { CONTROLLER_UID, type Slot } from "@drydock/vm";
import { type RunLayout, runLayout } from "../home/index.js";

/**
 * Makes a run's evidence directory: the controller writes all of it but the logs of port and broker,
 * which it may only read, and the artifacts, which only the port process writes.
 */
export const createRunDirectory = (
  runs: string,
  run: string,
  slot: Slot,
  roles: readonly ("port" | "egress")[],
): RunLayout => {
  const layout = runLayout(join(runs, run));
  for (const directory of [layout.directory, layout.logs]) {
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, CONTROLLER_UID, CONTROLLER_UID);
  }
  for (const role of roles) {
    const { log, checkpoints } = layout.log(role);
    for (const file of [log, checkpoints]) {
      closeSync(openSync(file, "wx", 0o640));
      chownSync(file, slot[role].uid, CONTROLLER_UID);
      chmodSync(file, 0o640);
    }
  }
  mkdirSync(layout.artifacts, { mode: 0o700 });
  chownSync(layout.artifacts, slot.port.uid, slot.port.gid);
  return layout;
};

/** Only after the port process, whose directory it is, is gone. */
export const discardArtifacts = (layout: RunLayout): void => {
  for (const name of readdirSync(layout.artifacts))
    rmSync(join(layout.artifacts, name), { recursive: true, force: true });
};

/** Puts the archive where the port process can read it, and nothing else of the workspace. */
export const handIn = async (archive: string, staging: string, slot: Slot): Promise<void> => {
  const target = join(staging, "source.tar");
  await copyFile(archive, target);
  chownSync(target, slot.port.uid, slot.port.gid);
  chmodSync(target, 0o400);
};
