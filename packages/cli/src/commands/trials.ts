import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { DrydockError } from "@drydock/evidence";
import { type RunRow, runStatus } from "@drydock/ledger";
import { formatDuration, isOwned, parseDuration, recoverRuns } from "@drydock/trial";
import { visible } from "../terminal/sanitise.js";
import { type JsonFlag, openLedgerForReading, print, stateLayout } from "./context.js";

/** The ledger names it relative to the state directory. */
const evidenceOf = (row: RunRow): string => resolve(stateLayout().state, row.evidence);

const statusOf = (row: RunRow): string => {
  const status = runStatus(row);
  return (status === "RUNNING" || status === "CONCLUDING") && !isOwned(row) ? "LOST" : status;
};

const toJson = (row: RunRow) => ({
  run: row.run,
  status: statusOf(row),
  title: row.title,
  evidence: evidenceOf(row),
  state: row.state,
  createdAt: new Date(row.createdAt).toISOString(),
  updatedAt: new Date(row.updatedAt).toISOString(),
  outcome: row.outcome,
  holdReason: row.holdReason,
});

/** `drydock trials list` */
export const trialsList = async (flags: JsonFlag): Promise<number> => {
  const ledger = openLedgerForReading();
  const rows = ledger === null ? [] : await ledger.runs();
  ledger?.close();
  print(
    flags,
    { runs: rows.map(toJson) },
    rows.length === 0
      ? "no runs yet\n"
      : rows
          .map(
            (row) =>
              `${row.run}  ${statusOf(row).padEnd(11)} ${new Date(row.createdAt).toISOString()}  ${visible(row.title, 60)}\n`,
          )
          .join(""),
  );
  return 0;
};

/** `drydock trials show RUN` */
export const trialsShow = async (run: string, flags: JsonFlag): Promise<number> => {
  const ledger = openLedgerForReading();
  const row = ledger === null ? null : await ledger.run(run);
  ledger?.close();
  if (row === null)
    throw new DrydockError("RUN_UNKNOWN", `there is no run ${visible(run)}`, {
      fix: "See `drydock trials list`.",
    });
  const shown = toJson(row);
  print(
    flags,
    shown,
    Object.entries(shown)
      .map(
        ([name, value]) =>
          `${name.padEnd(11)} ${visible(typeof value === "string" ? value : JSON.stringify(value), 400)}\n`,
      )
      .join(""),
  );
  return 0;
};

/**
 * `drydock trials gc`: removes what dead runs left on this machine, marks them INCOMPLETE, and
 * deletes evidence older than asked.
 */
export const trialsGc = async (
  flags: JsonFlag & { readonly olderThan?: string },
): Promise<number> => {
  const cutoff = flags.olderThan === undefined ? null : Date.now() - parseDuration(flags.olderThan);
  const { swept, marked } = await recoverRuns(stateLayout(), new Date());
  const ledger = cutoff === null ? null : openLedgerForReading();
  const deleted: string[] = [];
  for (const row of (await ledger?.runs()) ?? []) {
    if (cutoff === null || row.updatedAt > cutoff || row.outcome === null) continue;
    const evidence = evidenceOf(row);
    if (!existsSync(evidence)) continue;
    rmSync(evidence, { recursive: true, force: true });
    deleted.push(row.run);
  }
  ledger?.close();
  const leftovers = swept.flatMap(({ run, leftovers: left }) =>
    left.map(({ kind, what }) => `${run}: ${kind} ${what}`),
  );
  print(
    flags,
    { swept: swept.map(({ run }) => run), marked, deleted, leftovers },
    [
      `removed what ${swept.length} dead runs had left; marked ${marked.length} INCOMPLETE; deleted the evidence of ${deleted.length}`,
      ...(cutoff === null ? [] : [`(older than ${formatDuration(Date.now() - cutoff)})`]),
      ...leftovers.map((text) => `could not remove ${visible(text)}`),
      "",
    ].join("\n"),
  );
  return leftovers.length === 0 ? 0 : 1;
};
