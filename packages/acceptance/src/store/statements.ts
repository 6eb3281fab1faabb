import type Database from "better-sqlite3";
import type { ContractRow } from "./contract-row.js";
import type { EventRow } from "./event-row.js";
import type { HeadRow } from "./head.js";
import type { CooldownRow, NonceRow, ReservationRow } from "./small-rows.js";

interface Counts {
  readonly reservations: number;
  readonly cooldowns: number;
  readonly nonces: number;
}

export type Statements = ReturnType<typeof prepareStatements>;

export const prepareStatements = (database: Database.Database) => {
  const one = <P extends unknown[], R>(sql: string) => {
    const statement = database.prepare<P, R>(sql);
    return (...parameters: P): R | undefined => statement.get(...parameters);
  };
  const all = <R>(sql: string) => {
    const statement = database.prepare<[], R>(sql);
    return (): readonly R[] => statement.all();
  };
  const allOf = <R>(sql: string) => {
    const statement = database.prepare<[string], R>(sql);
    return (id: string): readonly R[] => statement.all(id);
  };
  const run = <P extends unknown[]>(sql: string) => {
    const statement = database.prepare<P>(sql);
    return (...parameters: P): number => statement.run(...parameters).changes;
  };
  return {
    head: one<[], HeadRow>("SELECT * FROM metadata"),
    putHead: run<[HeadRow]>(
      `INSERT OR REPLACE INTO metadata VALUES (@only, @store_id, @anchored, @head, @latest, @events,
       @states, @reservations, @cooldowns, @nonces, @mac)`,
    ),

    contract: one<[string], ContractRow>("SELECT * FROM contracts WHERE contract_id = ?"),
    colliding: one<[string, string, string], ContractRow>(
      "SELECT * FROM contracts WHERE contract_id = ? OR operation_id = ? OR idempotency_key = ?",
    ),
    contracts: all<ContractRow>("SELECT * FROM contracts ORDER BY contract_id"),
    /** All that can still change something for others. */
    active: all<ContractRow>(
      `SELECT * FROM contracts WHERE state IN ('PREPARING', 'PREPARED', 'EXECUTING', 'ROLLING_BACK',
       'RECONCILIATION', 'ROLLBACK_FAILED') ORDER BY contract_id`,
    ),
    states: all<{ state: string; contracts: number }>(
      "SELECT state, count(*) AS contracts FROM contracts GROUP BY state",
    ),
    addContract: run<[ContractRow]>(
      `INSERT INTO contracts VALUES (@contract_id, @operation_id, @idempotency_key,
       @target_identity_digest, @state, @state_version, @expires_at, @record, @mac)`,
    ),
    putContract: run<[ContractRow]>(
      `UPDATE contracts SET state = @state, state_version = @state_version, record = @record,
       mac = @mac WHERE contract_id = @contract_id`,
    ),

    reservations: all<ReservationRow>("SELECT * FROM target_reservations"),
    reserve: run<[ReservationRow]>(
      "INSERT INTO target_reservations VALUES (@target_identity_digest, @contract_id, @mac)",
    ),
    release: run<[string]>("DELETE FROM target_reservations WHERE target_identity_digest = ?"),

    events: all<EventRow>("SELECT * FROM audit_events ORDER BY sequence"),
    event: one<[number], EventRow>("SELECT * FROM audit_events WHERE sequence = ?"),
    eventsOf: allOf<EventRow>("SELECT * FROM audit_events WHERE contract_id = ? ORDER BY sequence"),
    latestOf: one<[string], EventRow>(
      "SELECT * FROM audit_events WHERE contract_id = ? ORDER BY state_version DESC LIMIT 1",
    ),
    lastEvent: one<[], EventRow>("SELECT * FROM audit_events ORDER BY sequence DESC LIMIT 1"),
    addEvent: run<[EventRow]>(
      `INSERT INTO audit_events VALUES (@sequence, @contract_id, @state_version, @record,
       @contract_digest, @mac)`,
    ),

    cooldown: one<[string], CooldownRow>(
      "SELECT * FROM rate_cooldowns WHERE target_identity_digest = ?",
    ),
    cooldowns: all<CooldownRow>("SELECT * FROM rate_cooldowns"),
    putCooldown: run<[CooldownRow]>(
      "INSERT OR REPLACE INTO rate_cooldowns VALUES (@target_identity_digest, @until, @mac)",
    ),

    nonce: one<[string, string], NonceRow>(
      "SELECT * FROM spent_nonces WHERE authority_id = ? AND nonce = ?",
    ),
    nonces: all<NonceRow>("SELECT * FROM spent_nonces"),
    spendNonce: run<[NonceRow]>(
      "INSERT INTO spent_nonces VALUES (@authority_id, @nonce, @contract_id, @mac)",
    ),

    counts: one<[], Counts>(
      `SELECT (SELECT count(*) FROM target_reservations) AS reservations,
       (SELECT count(*) FROM rate_cooldowns) AS cooldowns,
       (SELECT count(*) FROM spent_nonces) AS nonces`,
    ),
  };
};
