import { parseJson } from "@drydock/evidence";
import type Database from "better-sqlite3";
import type { LedgerAudit } from "../port.js";
import type { LedgerEvent } from "../rules/event.js";
import type { RunRow } from "../rules/row.js";
import { committed, type LedgerState, step } from "../rules/step.js";
import { encodeRow, type StoredRow } from "./row-codec.js";

/**
 * Reads the whole store: SQLite's own check, then the replay of all movements, which must be
 * accepted one by one and end in exactly the rows that are there.
 */
export const auditLedger = (
  database: Database.Database,
  decode: (stored: StoredRow) => RunRow,
): LedgerAudit =>
  database.transaction((): LedgerAudit => {
    const findings: string[] = [];
    const check = database.pragma("integrity_check(10)", { simple: true });
    if (check !== "ok") findings.push(`integrity check: ${String(check)}`);

    const movements = database
      .prepare<[], { sequence: number; event: string }>("SELECT * FROM movement ORDER BY sequence")
      .all();
    let state: LedgerState = new Map();
    movements.forEach((movement, index) => {
      if (movement.sequence !== index + 1) findings.push(`movement ${index + 1} is missing`);
      const next = step(state, parseJson(Buffer.from(movement.event)) as unknown as LedgerEvent);
      if (next.decision.kind !== "accepted") {
        findings.push(`movement ${movement.sequence} was never admissible`);
      }
      state = next.state;
    });

    const rows = database.prepare<[], StoredRow>("SELECT * FROM run ORDER BY run").all();
    const stored = new Map(rows.map((row) => [row.run, decode(row)]));
    for (const run of new Set([...state.keys(), ...stored.keys()])) {
      if (text(state.get(run)) !== text(stored.get(run))) {
        findings.push(`run ${run} is not what its movements lead to`);
      }
    }
    return {
      runs: stored.size,
      movements: movements.length,
      committed: committed(stored),
      findings,
    };
  })();

const text = (row: RunRow | undefined): string =>
  row === undefined ? "" : JSON.stringify(encodeRow(row));
