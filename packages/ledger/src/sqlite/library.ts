import { createRequire } from "node:module";
import type Database from "better-sqlite3";

const require = createRequire(import.meta.url);

/**
 * SQLite, loaded when a ledger is opened: each run's launcher could open one, for a run whose owner
 * has died, and hardly ever does.
 */
export const sqlite = (): typeof Database => require("better-sqlite3") as typeof Database;
