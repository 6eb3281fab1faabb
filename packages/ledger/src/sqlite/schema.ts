/** "DDOK" as a big-endian integer: tells a Drydock ledger from any other SQLite file. */
export const APPLICATION_ID = 0x44_44_4f_4b;

/** Raise it with every change of SCHEMA, together with a migration. */
export const SCHEMA_VERSION = 1;

/**
 * `movement` is the history and `run` is where it led: replaying the one gives the other, and an
 * audit does so. Triggers keep history append-only against mistakes; they don't stop an attacker
 * who owns the file.
 */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE run (
  run TEXT PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL,
  title TEXT NOT NULL,
  evidence TEXT NOT NULL,
  owner_boot TEXT NOT NULL,
  owner_pid INTEGER NOT NULL,
  owner_ticks INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PROPOSED','RESERVED','DISPATCHED','SETTLED','HELD','RELEASED')),
  generation INTEGER NOT NULL CHECK (generation > 0),
  holder TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  reserved TEXT NOT NULL,
  used TEXT,
  halt_generation INTEGER,
  intent TEXT,
  hold_reason TEXT,
  outcome TEXT CHECK (outcome IN ('verdict','incomplete','refused')),
  outcome_detail TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT`,
  `CREATE INDEX run_open ON run (run) WHERE outcome IS NULL OR state IN ('PROPOSED','RESERVED','DISPATCHED','HELD')`,
  `CREATE INDEX run_newest ON run (created_at DESC, run)`,
  `CREATE TABLE movement (
  sequence INTEGER PRIMARY KEY,
  event TEXT NOT NULL
) STRICT`,
  `CREATE TRIGGER movement_keep BEFORE DELETE ON movement BEGIN SELECT RAISE(ABORT, 'movements are append-only'); END`,
  `CREATE TRIGGER movement_fixed BEFORE UPDATE ON movement BEGIN SELECT RAISE(ABORT, 'movements are append-only'); END`,
  `CREATE TABLE halt_memory (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  generation INTEGER NOT NULL CHECK (generation >= 0)
) STRICT`,
];

export const SEED = "INSERT INTO halt_memory (only, generation) VALUES (1, 0)";
