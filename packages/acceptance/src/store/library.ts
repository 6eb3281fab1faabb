import { createRequire } from "node:module";
import type Database from "better-sqlite3";

const require = createRequire(import.meta.url);

/** SQLite, loaded when a store is opened: most of what imports this package opens none. */
export const sqlite = (): typeof Database => require("better-sqlite3") as typeof Database;
