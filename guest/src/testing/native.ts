import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(
  new URL("../../../packages/vm/native/drydock-native.c", import.meta.url),
);

/** Compiles the real helper into `directory`: what the tests run is what the guest runs. */
export const buildNative = (directory: string): string => {
  const native = join(directory, "drydock-native");
  execFileSync("cc", ["-O1", "-static", "-o", native, SOURCE]);
  return native;
};

/** Why a test that changes user or root can't run here; false when it can. */
export const needsRoot: string | false =
  process.getuid?.() === 0 ? false : "changes user and root directory, which only root may";
