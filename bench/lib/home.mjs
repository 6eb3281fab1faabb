// A state directory of the bench's own over an image store that is kept between benches.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
/** What an installation runs; `./drydock` only adds a look at the sources' ages. */
export const PROGRAM = join(root, "packages/cli/bundle/drydock.cjs");

export const CACHE =
  process.env.DRYDOCK_BENCH_CACHE ??
  process.env.DRYDOCK_TEST_CACHE ??
  join(homedir(), ".cache", "drydock-test");

export const openHome = () => {
  if (!existsSync(PROGRAM)) throw new Error("build first: node scripts/build.mjs");
  const directory = mkdtempSync(join(tmpdir(), "drydock-bench-"));
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  symlinkSync(CACHE, join(directory, "cache"));
  const env = { PATH: process.env.PATH, DRYDOCK_HOME: directory, NO_COLOR: "1" };
  const must = (args) => {
    const result = spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: "utf8" });
    if (result.status !== 0) throw new Error(`drydock ${args.join(" ")}: ${result.stderr}`);
    return result.stdout;
  };
  must(["image", "build", "base"]);
  return {
    directory,
    env,
    /** Runs to the end and gives stdout. */
    must,
    start: (args, stdio) => spawn(process.execPath, [PROGRAM, ...args], { env, stdio }),
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
};
