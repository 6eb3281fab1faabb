import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { DrydockError } from "@drydock/evidence";
import { type RunRow, runStatus } from "@drydock/ledger";
import {
  type BoundaryTime,
  formatDuration,
  isOwned,
  listBoundaries,
  listRehearsals,
  parseDuration,
  type RehearsalTime,
  recoverRuns,
} from "@drydock/trial";
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
  const boundaries = listBoundaries(stateLayout());
  const rehearsals = listRehearsals(stateLayout());
  const lines = [
    ...rows.map(
      (row) =>
        `${row.run}  ${statusOf(row).padEnd(11)} ${new Date(row.createdAt).toISOString()}  ${visible(row.title, 60)}\n`,
    ),
    ...boundaries.map(describeBoundary),
    ...rehearsals.map(describeRehearsal),
  ];
  print(
    flags,
    { runs: rows.map(toJson), boundaries, rehearsals },
    lines.length === 0 ? "no runs yet\n" : lines.join(""),
  );
  return 0;
};

const describeBoundary = ({ run, status, created, phase, owner }: BoundaryTime): string =>
  `${run}  ${status.padEnd(11)} ${created}  boundary ${visible(owner, 40)}: ${visible(phase, 40)}\n`;

const describeRehearsal = ({ run, status, created, command }: RehearsalTime): string =>
  `${run}  ${status.padEnd(11)} ${created}  ${visible(command, 60)}\n`;

/** What isn't a run, and so is in no ledger. */
const listOthers = (): readonly (BoundaryTime | RehearsalTime)[] => [
  ...listBoundaries(stateLayout()),
  ...listRehearsals(stateLayout()),
];

/** `drydock trials show RUN` */
export const trialsShow = async (run: string, flags: JsonFlag): Promise<number> => {
  const ledger = openLedgerForReading();
  const row = ledger === null ? null : await ledger.run(run);
  ledger?.close();
  const other = listOthers().find((time) => time.run === run);
  if (other !== undefined) {
    printMembers(flags, other);
    return 0;
  }
  if (row === null)
    throw new DrydockError("RUN_UNKNOWN", `there is no run ${visible(run)}`, {
      fix: "See `drydock trials list`.",
    });
  printMembers(flags, toJson(row));
  return 0;
};

const printMembers = (flags: JsonFlag, shown: object): void =>
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

/**
 * `drydock trials gc`: removes what dead runs and killed supervisors of rehearsals left on this
 * machine, marks them INCOMPLETE, and deletes evidence older than asked.
 */
export const trialsGc = async (
  flags: JsonFlag & { readonly olderThan?: string },
): Promise<number> => {
  const cutoff = flags.olderThan === undefined ? null : Date.now() - parseDuration(flags.olderThan);
  const { swept, marked } = await recoverRuns(stateLayout(), new Date());
  // The lab is loaded for it alone.
  const { describeLeft, sweepRehearsals } = await import("./lab/sweep-rehearsals.js");
  const abandoned = sweepRehearsals(stateLayout());
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
  for (const { run, status, created, evidence } of listOthers()) {
    if (cutoff === null || status === "RUNNING" || Date.parse(created) > cutoff) continue;
    rmSync(evidence, { recursive: true, force: true });
    deleted.push(run);
  }
  const leftovers = swept.flatMap(({ run, leftovers: left }) =>
    left.map(({ kind, what }) => `${run}: ${kind} ${what}`),
  );
  print(
    flags,
    { swept: swept.map(({ run }) => run), marked, deleted, leftovers, abandoned },
    [
      `removed what ${swept.length} dead runs had left; marked ${marked.length} INCOMPLETE; deleted the evidence of ${deleted.length}`,
      ...(cutoff === null ? [] : [`(older than ${formatDuration(Date.now() - cutoff)})`]),
      ...leftovers.map((text) => `could not remove ${visible(text)}`),
      ...abandoned.map(describeLeft),
      "",
    ].join("\n"),
  );
  return leftovers.length === 0 && abandoned.every(({ removed }) => removed) ? 0 : 1;
};
