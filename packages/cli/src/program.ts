import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf } from "@drydock/evidence";
import { findProgramRoot, type Program } from "@drydock/trial";

const here = dirname(fileURLToPath(import.meta.url));

const readVersion = (manifest: string): string =>
  (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;

/** The bundle (an installed Drydock) has everything in one directory; the tree has workspaces. */
const isBundle = (): boolean => existsSync(join(here, "build.json"));

const bundled = (): Program => ({
  ...placeOf(findProgramRoot(here)),
  controller: join(here, "controller.cjs"),
  port: join(here, "port.cjs"),
  egress: join(here, "broker.cjs"),
  reaper: join(here, "reaper.cjs"),
  agentBundle: join(here, "agent.bundle.cjs"),
  nativeSource: join(here, "drydock-native.c"),
  version: readVersion(join(here, "..", "package.json")),
  digest: () =>
    (JSON.parse(readFileSync(join(here, "build.json"), "utf8")) as { digest: string }).digest,
});

/** Installed, all of it lies in node_modules; the rest of that directory is somebody's project. */
const placeOf = (root: string): Pick<Program, "root" | "parts"> => ({
  root,
  parts: here.startsWith(join(root, "node_modules/"))
    ? ["/node_modules"]
    : [here.slice(root.length), "/node_modules"],
});

const unbundled = (): Program => {
  const root = findProgramRoot(here);
  const trial = join(root, "packages/trial/dist");
  return {
    root,
    parts: ["/packages", "/node_modules"],
    controller: join(trial, "controller/main.js"),
    egress: join(trial, "egress/main.js"),
    port: join(trial, "port/main.js"),
    reaper: join(trial, "reaper/main.js"),
    agentBundle: join(root, "guest/dist/agent.bundle.cjs"),
    nativeSource: join(root, "packages/vm/native/drydock-native.c"),
    version: readVersion(join(root, "packages/cli/package.json")),
    // Tests run from the tree; what is released is the bundle, which has a digest of its own.
    digest: () => digestOf(readFileSync(join(trial, "controller/main.js"))),
  };
};

/** The program that tries flows from inside a container's network namespace. */
export const locateProber = (): string =>
  isBundle()
    ? join(here, "prober.cjs")
    : join(findProgramRoot(here), "packages/boundary/dist/probe/prober.js");

/** The program of the thread that checks rules exhaustively while a boundary is watched. */
export const locateChecker = (): string =>
  isBundle()
    ? join(here, "check-worker.cjs")
    : join(findProgramRoot(here), "packages/boundary/dist/watch/check-worker.js");

/** Where this installation's code is. */
export const locateProgram = (): Program => (isBundle() ? bundled() : unbundled());
