import type { DatabaseShape } from "./file/schema.js";

/**
 * `audit_events` is the history and the other tables are where it led; every row carries a MAC, and
 * `metadata` one over how many of each there are and where the history ends. Tables with a key of
 * their own have no rowid, so that there is no order in them to change.
 */
export const STORE_SHAPE: DatabaseShape = {
  /** "DDRC" as a big-endian integer. */
  applicationId: 0x44_44_52_43,
  /** Raise it with every change of a statement, together with a migration. */
  version: 1,
  statements: [
    `CREATE TABLE metadata (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  store_id TEXT NOT NULL,
  anchored INTEGER NOT NULL CHECK (anchored IN (0, 1)),
  head TEXT NOT NULL,
  latest INTEGER NOT NULL,
  events INTEGER NOT NULL,
  states TEXT NOT NULL,
  reservations INTEGER NOT NULL,
  cooldowns INTEGER NOT NULL,
  nonces INTEGER NOT NULL,
  mac TEXT NOT NULL
) STRICT`,
    `CREATE TABLE contracts (
  contract_id TEXT PRIMARY KEY,
  operation_id TEXT NOT NULL UNIQUE,
  idempotency_key TEXT NOT NULL UNIQUE,
  target_identity_digest TEXT NOT NULL,
  state TEXT NOT NULL,
  state_version INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  mac TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
    "CREATE INDEX contracts_by_state ON contracts (state)",
    `CREATE TABLE target_reservations (
  target_identity_digest TEXT PRIMARY KEY,
  contract_id TEXT NOT NULL UNIQUE REFERENCES contracts (contract_id),
  mac TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
    `CREATE TABLE audit_events (
  sequence INTEGER PRIMARY KEY,
  contract_id TEXT NOT NULL REFERENCES contracts (contract_id),
  state_version INTEGER NOT NULL,
  record TEXT NOT NULL,
  contract_digest TEXT NOT NULL,
  mac TEXT NOT NULL,
  UNIQUE (contract_id, state_version)
) STRICT`,
    `CREATE TABLE rate_cooldowns (
  target_identity_digest TEXT PRIMARY KEY,
  until INTEGER NOT NULL,
  mac TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
    `CREATE TABLE spent_nonces (
  authority_id TEXT NOT NULL,
  nonce TEXT NOT NULL,
  contract_id TEXT NOT NULL REFERENCES contracts (contract_id),
  mac TEXT NOT NULL,
  PRIMARY KEY (authority_id, nonce)
) STRICT, WITHOUT ROWID`,
  ],
};
