import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  acceptanceJson,
  acceptanceJunit,
  acceptanceMarkdown,
  type Rehearsal,
  type RehearsalReport,
  startRehearsal,
} from "@drydock/lab";
import { type LabEvidence, openLabEvidence, quarantineEvidence, requireRoot } from "@drydock/trial";
import { verdictExitCode } from "../../exit.js";
import { locateProgram } from "../../program.js";
import { createProgress, type Progress, SILENT } from "../../terminal/progress.js";
import { chooseStyle } from "../../terminal/style.js";
import { listenForInterruption, whenInterrupted } from "../boundary/interruption.js";
import { directories, print, stateLayout } from "../context.js";
import { type Asked, askedFor, type LabAcceptFlags } from "./accept-asked.js";
import { refuseElsewhere } from "./accept-elsewhere.js";
import { exitEvent, rehearsalEvents, scanEvent } from "./accept-events.js";
import { claimOutput, type Output } from "./accept-output.js";
import { type Acceptance, acceptanceObject, describe, told } from "./accept-report.js";
import {
  describeLeft,
  type LeftRehearsal,
  rehearsalsOf,
  removeIfEmpty,
  sweepRehearsals,
} from "./sweep-rehearsals.js";

/**
 * `drydock lab accept`: every scenario on a stand-in that is made for it, under a supervisor that
 * outlives this process. Sealed, recorded and signed as a run is.
 */
export const labAccept = async (flags: LabAcceptFlags): Promise<number> => {
  const asked = askedFor(flags);
  if (flags.target === "appliance") return refuseElsewhere(asked, flags);
  requireRoot("making a network namespace");
  const output = claimOutput(flags.output);
  const style = chooseStyle(process.stderr.isTTY === true, process.env);
  const progress = flags.json === true ? SILENT : createProgress(process.stderr, style);
  const acceptance = await rehearse(asked, output, progress).catch((error: unknown) => {
    output?.remove();
    throw error;
  });
  progress.clear();
  const shown = chooseStyle(process.stdout.isTTY === true, process.env);
  print(flags, acceptanceObject(acceptance), describe(acceptance, shown));
  return verdictExitCode(acceptance.verdict);
};

const rehearse = async (
  asked: Asked,
  output: Output | null,
  progress: Progress,
): Promise<Acceptance> => {
  using interruption = listenForInterruption();
  const { planned, names, ...inputs } = asked;
  const places = directories();
  const name = (left: LeftRehearsal): void => progress.note(describeLeft(left));
  const earlier = sweepRehearsals(stateLayout());
  earlier.forEach(name);
  const evidence = await openLabEvidence({
    directories: places,
    program: locateProgram(),
    directory: null,
    inputs,
  });
  const { run, created } = evidence;
  const work = join(rehearsalsOf(places), run);
  mkdirSync(work, { recursive: true, mode: 0o700 });
  progress.step("starting a stand-in, a fault proxy and their supervisor");
  const { seed, repeat, deadlineMs } = asked;
  // What can't be recorded any more isn't played to its end either.
  using rehearsal = startRehearsal({
    ...{ directory: work, seed, repeat, deadlineMs, isSearched: true },
    ...(names === null ? {} : { scenarios: names }),
  });
  whenInterrupted(interruption.signal, () => {
    progress.note("a signal: nothing more is played; the permission is being taken away");
    rehearsal.stop();
  });
  await follow(rehearsal, evidence, progress, planned.length);
  const report = await rehearsal.finished;
  const own = report.abandoned.map((left) => ({ run, ...left }));
  own.forEach(name);
  if (own.length > 0) removeIfEmpty(work);
  evidence.record(exitEvent(report.exit));
  const { command, adapter } = asked;
  const rehearsed = { run, created, command, adapter, seed, planned, report };
  const reports = {
    "acceptance.json": Buffer.from(acceptanceJson(rehearsed)),
    "acceptance.md": Buffer.from(acceptanceMarkdown(rehearsed)),
    "acceptance.junit.xml": Buffer.from(acceptanceJunit(rehearsed)),
  };
  evidence.keep(reports);
  // What isn't on disk yet isn't searched.
  evidence.checkpoint();
  progress.step("searching everything that was written for what nothing may keep");
  const scan = await rehearsal.search([evidence.directory, work]);
  evidence.record(scanEvent(scan));
  const { verdict, gates } = await evidence.conclude(endingOf(report));
  const isKept = scan !== null && scan.found.length === 0;
  if (isKept) output?.write(reports);
  else if (existsSync(work)) quarantineEvidence(work);
  const place = isKept ? evidence.directory : quarantineEvidence(evidence.directory);
  return {
    ...{ rehearsed, verdict, gates, scan, isKept, evidence: place, left: [...earlier, ...own] },
    output: isKept ? (output?.directory ?? null) : null,
  };
};

/** As it is told, so that a process that dies here leaves what it had heard. */
const follow = async (
  { events }: Rehearsal,
  evidence: LabEvidence,
  progress: Progress,
  planned: number,
): Promise<void> => {
  let played = 0;
  for await (const event of events) {
    if (event.type === "scenario") played += 1;
    for (const one of rehearsalEvents(event)) evidence.record(one);
    evidence.checkpoint();
    told(event, progress, { played, planned });
  }
};

/** A signal, a deadline or an error of the lab's own: then it isn't whole, whatever passed. */
const endingOf = ({ exit, unexpected }: RehearsalReport): "completed" | "stopped" =>
  exit.cause === "played" && unexpected === null ? "completed" : "stopped";
