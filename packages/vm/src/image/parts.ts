import { fileURLToPath } from "node:url";
import type { Parts } from "./build/runtime.js";

const fromHere = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The parts as they lie in the source tree after a build; a bundled install passes its own. */
export const treeParts = (): Parts => ({
  agentBundle: fromHere("../../../../guest/dist/agent.bundle.cjs"),
  nativeSource: fromHere("../../native/drydock-native.c"),
  node: { executable: process.execPath, version: process.versions.node },
});
