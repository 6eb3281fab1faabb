import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { drydock, type Ended, startDrydock, type TestState, testState } from "./command-line.js";
import { type Gate, gatedEnvironment, openGate, runAtGate } from "./gate.js";
import { leftoversOf } from "./leftovers.js";
import { findRun, type LiveRun, type Role } from "./live-run.js";
import { untilTrue } from "./until.js";

/** One way to lose a process. */
export interface Loss {
  readonly victim: Role;
  /** `drive`: while a command runs. */
  readonly at: Gate | "drive";
  /** SIGSTOP: it lives and does nothing, which only a deadline ends. */
  readonly signal?: "SIGKILL" | "SIGSTOP";
}

export interface Aftermath {
  readonly run: string;
  readonly evidence: string;
  /** From the signal until nothing of the run was left on the machine. */
  readonly clearedMs: number;
  readonly status: string;
  readonly verified: Verified;
  readonly ended: Ended;
}

export interface Verified {
  readonly ok: boolean;
  readonly integrity: string;
  readonly completeness: string;
  readonly verdict: string | null;
  readonly findings: readonly { readonly code: string }[];
}

/** Removal takes a fraction of a second; the machine may be busy with other tests. */
const CLEARED_WITHIN_MS = 30_000;
/** The phase that a stopped process keeps from ending has its deadline, and grace, on top. */
const WALL_MS = 10_000;

interface Ending {
  after(fn: () => unknown): void;
}

export const nameOf = ({ victim, at, signal = "SIGKILL" }: Loss): string =>
  `${signal} of the ${victim} ${at === "drive" ? "while a command runs" : `${at.when} ${[at.task, at.variant, at.killing && "(killing)"].filter(Boolean).join(" ")}`}`;

/** Starts a run, takes one process from it, and looks at what is left. */
export const lose = async (loss: Loss, test: Ending): Promise<Aftermath> => {
  const state = testState(test);
  const { live, ended } = await standAt(loss, state, test);
  const victim = live.pids.get(loss.victim);
  assert.ok(victim !== undefined, `the run has no ${loss.victim} there`);
  process.kill(victim, loss.signal ?? "SIGKILL");
  if (loss.victim !== "controller" && loss.victim !== "launcher")
    openGate(state.directory, live.run);
  const clearedMs = await untilCleared(live, state);
  const end = await ended;
  const evidence = join(state.directory, "runs", live.run);
  return {
    run: live.run,
    evidence,
    clearedMs,
    ended: end,
    ...(await outcomeOf(live.run, state, test)),
  };
};

const standAt = async (
  { at, signal }: Loss,
  state: TestState,
  test: Ending,
): Promise<{ readonly live: LiveRun; readonly ended: Promise<Ended> }> => {
  const killing = at !== "drive" && at.killing === true;
  const running = startDrydock(
    [
      "run",
      ...(signal === "SIGSTOP" || killing ? ["--timeout", `${WALL_MS / 1000}s`] : []),
      "--",
      ...(at === "drive" || killing ? ["sh", "-c", "echo up; sleep 1000"] : ["true"]),
    ],
    at === "drive" ? state.environment : gatedEnvironment(at, state.environment),
    test,
  );
  const early = running.ended.then(({ code, stderr }) => {
    throw new Error(`the run ended with ${code} before it stood: ${stderr}`);
  });
  early.catch(() => undefined);
  const reached =
    at === "drive" ? running.says("up\n").then(() => onlyRun(state)) : runAtGate(state.directory);
  const run = await Promise.race([reached, early]);
  return { live: findRun(run, running.child.pid ?? 0), ended: running.ended };
};

/** The one run of a state directory. */
export const onlyRun = (state: TestState): string => {
  const runs = readdirSync(join(state.directory, "runs")).filter((name) => !name.startsWith("."));
  assert.equal(runs.length, 1);
  return runs[0] ?? "";
};

const untilCleared = async (live: LiveRun, state: TestState): Promise<number> => {
  let left: readonly string[] = [];
  const gone = (): boolean => {
    left = leftoversOf(live, state);
    return left.length === 0;
  };
  try {
    return await untilTrue(gone, CLEARED_WITHIN_MS, `run ${live.run} to be gone`);
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${left.join("; ")}`, { cause: error });
  }
};

/** What ledger and evidence say once somebody has cleaned up, at most. */
export const outcomeOf = async (
  run: string,
  state: TestState,
  test: Ending,
): Promise<Pick<Aftermath, "status" | "verified">> => {
  await drydock(["trials", "gc", "--json"], state.environment, test);
  const [listed, verified] = await Promise.all([
    drydock(["trials", "list", "--json"], state.environment, test),
    drydock(["verify", join(state.directory, "runs", run), "--json"], state.environment, test),
  ]);
  const { runs } = JSON.parse(listed.stdout) as { runs: { run: string; status: string }[] };
  const row = runs.find((candidate) => candidate.run === run);
  return { status: row?.status ?? "UNKNOWN", verified: JSON.parse(verified.stdout) as Verified };
};
