import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { namespaceIdentity } from "../appliance/index.js";
import { chosenScenarios } from "../harness/chosen.js";
import { acceptanceReport } from "../harness/index.js";
import type { Scan } from "../report/index.js";
import { type ScenarioReport, type Unexpected, unexpectedOf } from "../scenario/index.js";
import { type Abandoned, clearAbandoned } from "./abandoned.js";
import { deadlineFor } from "./bounds.js";
import { linesOf } from "./lines.js";
import type {
  Rehearsal,
  RehearsalEvent,
  RehearsalOptions,
  RehearsalReport,
  SupervisedExit,
} from "./model.js";
import { parseValue } from "./parse-line.js";
import { startProcess } from "./processes.js";
import {
  parseSupervisorLine,
  type Searched,
  type StarterLine,
  type SupervisorJob,
  supervisorJob,
} from "./starter-protocol.js";

/** What a supervisor takes besides playing: a stand-in to start, and an exit. Later it counts as gone. */
const BESIDES_MS = 120_000;

/** A search of a few megabytes takes a second. */
const SEARCH_MS = 60_000;

/**
 * Starts a rehearsal on a stand-in, in processes of their own: a supervisor that outlives this one,
 * and that alone can take the lab's permission away; the stand-in; and the harness, which can't.
 * Needs root, for the network namespace.
 *
 * @throws DrydockError LAB_SCENARIO, LAB_LINE for options that aren't of the form above
 */
export const startRehearsal = (options: RehearsalOptions): Rehearsal => {
  const job = jobOf(options);
  const planned = chosenScenarios(job.scenarios).length * job.repeat;
  const supervisor = startProcess("supervisor", job, ["unshare", "--net"]);
  const told = new Told();
  const hearing = hear(supervisor.output, told);
  const late = new AbortController();
  const tooLate = pause(job.deadlineMs + BESIDES_MS, undefined, { signal: late.signal });
  tooLate.catch(() => undefined);
  const finished = (async () => {
    const gone = Promise.all([hearing, supervisor.ended]);
    await Promise.race([gone, tooLate, ...(job.isSearched ? [told.exit] : [])]);
    late.abort();
    told.end();
    if (!job.isSearched) supervisor.input.end();
    const abandoned = told.isExitTold ? [] : abandonedIn(job, told);
    return { ...told.report(planned), abandoned };
  })();
  const say = (line: StarterLine): void => void supervisor.input.write(`${JSON.stringify(line)}\n`);
  return {
    events: told,
    finished,
    supervisor: supervisor.pid,
    stop: () => say({ type: "stop" }),
    search: async (directories) => {
      say({ type: "search", directories: [...directories] });
      const ending = new AbortController();
      const waited = pause(SEARCH_MS, undefined, { signal: ending.signal });
      waited.catch(() => undefined);
      await Promise.race([Promise.all([hearing, supervisor.ended]), waited]);
      ending.abort();
      supervisor.input.end();
      return told.scan;
    },
    [Symbol.dispose]: () => void supervisor.input.end(),
  };
};

const jobOf = ({
  directory,
  seed,
  scenarios,
  repeat = 1,
  deadlineMs = deadlineFor(repeat),
  isSearched = false,
}: RehearsalOptions): SupervisorJob => {
  const job = {
    ...{ starter: namespaceIdentity(), directory, seed, repeat, deadlineMs, isSearched },
    scenarios: scenarios ?? null,
  };
  return parseValue(supervisorJob, job);
};

/** One that is only late lives, and clears away what is its own. */
const abandonedIn = ({ directory }: SupervisorJob, told: Told): readonly Abandoned[] => {
  try {
    return clearAbandoned(directory);
  } catch (error) {
    told.fail(unexpectedOf(error));
    return [];
  }
};

const hear = async (output: Readable, told: Told): Promise<void> => {
  try {
    for await (const line of linesOf(output)) told.add(parseSupervisorLine(line));
  } catch (error) {
    told.fail(unexpectedOf(error));
  }
};

/** What a supervisor that said nothing at its end has shown: nothing. */
const UNSAID: SupervisedExit = {
  permissionRevoked: false,
  readOnlyConfirmed: false,
  cause: "supervisor-gone",
  unexpected: null,
  interrupted: null,
  contracts: [],
  unreadable: [],
  applianceAsBefore: null,
  destroyed: false,
  dateExpiry: "unsupported",
  revocationMs: 0,
};

/** What a supervisor tells, for whoever follows it and for the report at its end. */
class Told implements AsyncIterable<RehearsalEvent> {
  readonly #events: RehearsalEvent[] = [];
  #unexpected: Unexpected | null = null;
  #ended = false;
  #scan: Scan | null = null;
  #exitTold: () => void = () => undefined;
  #isExitTold = false;
  /** Resolves when the exit was told; it may never be. */
  readonly exit = new Promise<void>((resolve) => {
    this.#exitTold = resolve;
  });
  readonly #waiting: (() => void)[] = [];

  add(line: RehearsalEvent | Searched): void {
    if (line.type === "searched") {
      this.#scan = line.scan;
      return;
    }
    this.#events.push(line);
    this.#wake();
    if (line.type !== "exit") return;
    this.#isExitTold = true;
    this.#exitTold();
  }

  get isExitTold(): boolean {
    return this.#isExitTold;
  }

  get scan(): Scan | null {
    return this.#scan;
  }

  fail(unexpected: Unexpected): void {
    this.#unexpected = unexpected;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RehearsalEvent> {
    for (let next = 0; ; next += 1) {
      while (this.#events[next] === undefined && !this.#ended)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      const event = this.#events[next];
      if (event === undefined) return;
      yield event;
    }
  }

  report(planned: number): Omit<RehearsalReport, "abandoned"> {
    let digest: string | null = null;
    let exit = UNSAID;
    const scenarios: ScenarioReport[] = [];
    for (const event of this.#events)
      switch (event.type) {
        case "began":
          digest = event.digest;
          break;
        case "scenario":
          scenarios.push(event.report);
          break;
        case "exit":
          exit = event.report;
          break;
      }
    const unexpected = this.#unexpected ?? exit.unexpected;
    const report = acceptanceReport({ planned, digest, scenarios, unexpected }, exit);
    const isWhole = exit.cause === "played" && exit.destroyed && exit.unreadable.length === 0;
    return { ...report, passed: report.passed && isWhole };
  }
}
