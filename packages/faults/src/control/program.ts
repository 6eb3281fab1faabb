import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Beside this module in the tree, and beside the bundle that holds it in an installation. */
const PLACES = ["./main.js", "./fault-proxy.cjs"] as const;

export const findProgram = (): string =>
  PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  ) ?? "fault-proxy.cjs";
