import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { swapArguments, temporaryDirectory } from "@drydock/testkit";
import { namespaceIdentity } from "../appliance/index.js";
import { startRehearsal } from "./start-rehearsal.js";
import { parseSupervisorLine } from "./starter-protocol.js";
import { isEmpty, memberRunning, namespaceOf } from "./testing/namespace.js";
import { begun, exitFiles, exitIn } from "./testing/rehearsal.js";

const program = (name: string): string =>
  fileURLToPath(new URL(`./testing/${name}.js`, import.meta.url));

/** Longer than a rehearsal takes to begin on a busy machine, and than one scenario. */
const DEADLINE_MS = 20_000;
const ONE = ["clean_passthrough"];

/** A directory, and what is left of a rehearsal in it. */
const place = (t: TestContext) => {
  const directory = temporaryDirectory(t);
  return { directory, exits: () => exitFiles(directory).map(exitIn) };
};

const start = (directory: string, scenarios?: readonly string[], deadlineMs?: number) =>
  startRehearsal({
    ...{ directory, seed: 1 },
    ...(scenarios === undefined ? {} : { scenarios }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });

describe("a rehearsal", () => {
  test("tells what it does in order, and leaves an exit report that is its owner's", async (t) => {
    const { directory } = place(t);
    const rehearsal = start(directory, ONE);
    const told: string[] = [];
    for await (const event of rehearsal.events) told.push(event.type);
    const report = await rehearsal.finished;
    assert.deepEqual(told, ["began", "scenario", "scenario", "exit"]);
    assert.equal(report.exit.cause, "played");
    assert.equal(report.passed, true);
    const [file = "", ...more] = exitFiles(directory);
    assert.deepEqual(more, []);
    assert.equal(statSync(file).mode & 0o7777, 0o600);
    assert.deepEqual(exitIn(file), report.exit);
    assert.equal(report.exit.destroyed, true);
    assert.equal(report.exit.interrupted, null);
    assert.deepEqual(report.abandoned, []);
  });

  test("ends at its deadline when the harness hangs", async (t) => {
    const { directory, exits } = place(t);
    const rehearsal = start(directory, ONE, DEADLINE_MS);
    await begun(rehearsal);
    const namespace = namespaceOf(rehearsal.supervisor) ?? "";
    process.kill((await memberRunning(rehearsal.supervisor, "harness")).pid, "SIGSTOP");
    const report = await rehearsal.finished;
    assert.equal(report.exit.cause, "deadline");
    assert.deepEqual(
      [report.exit.permissionRevoked, report.exit.readOnlyConfirmed, report.exit.destroyed],
      [true, true, true],
    );
    assert.equal(report.passed, false);
    assert.ok(report.counts.notPlayed > 0);
    await isEmpty(namespace);
    assert.deepEqual(exits(), [report.exit]);
  });

  test("ends when who started it lets go of it, and waits for nobody who would search", async (t) => {
    const { directory, exits } = place(t);
    const rehearsal = startRehearsal({ directory, seed: 1, isSearched: true });
    await begun(rehearsal);
    const namespace = namespaceOf(rehearsal.supervisor) ?? "";
    rehearsal[Symbol.dispose]();
    const { exit } = await rehearsal.finished;
    assert.equal(exit.cause, "starter-gone");
    assert.deepEqual(
      [exit.permissionRevoked, exit.readOnlyConfirmed, exit.destroyed],
      [true, true, true],
    );
    // Its supervisor as well.
    await isEmpty(namespace);
    assert.deepEqual(exits(), [exit]);
  });

  test("ends when it is told to", async (t) => {
    const { directory, exits } = place(t);
    const rehearsal = start(directory);
    await begun(rehearsal);
    rehearsal.stop();
    const report = await rehearsal.finished;
    assert.equal(report.exit.cause, "stopped");
    assert.deepEqual([report.exit.permissionRevoked, report.exit.readOnlyConfirmed], [true, true]);
    assert.equal(report.passed, false);
    assert.deepEqual(exits(), [report.exit]);
  });

  test("ends when whoever started it is killed", async (t) => {
    const { directory, exits } = place(t);
    const starter = spawn(process.execPath, [program("start"), directory], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const supervisor = Number(await firstLine(starter));
    const namespace = namespaceOf(supervisor) ?? "";
    starter.kill("SIGKILL");
    await once(starter, "close");
    await isEmpty(namespace);
    const [exit, ...more] = exits();
    assert.deepEqual(more, []);
    assert.equal(exit?.cause, "starter-gone");
    assert.deepEqual([exit.permissionRevoked, exit.readOnlyConfirmed], [true, true]);
    assert.equal(exit.destroyed, true);
  });

  test("ends in its exit after an error of the supervisor's that nobody provided for", async (t) => {
    const { directory, exits } = place(t);
    // The supervisor alone loads it, and asks it when the harness has begun.
    const swap = {
      module: "packages/lab/dist/supervisor/console-scope.js",
      source: `
        import { requireTargetsPath as real } from "./console-scope.js?real";
        export const requireTargetsPath = (path) => {
          setImmediate(() => { throw new Error("nobody's"); });
          real(path);
        };`,
    };
    const starter = spawn(
      process.execPath,
      [...swapArguments([swap]), program("start"), directory],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    await once(starter, "close");
    const [exit, ...more] = exits();
    assert.deepEqual(more, []);
    assert.equal(exit?.cause, "supervisor-failed");
    assert.deepEqual([exit.permissionRevoked, exit.readOnlyConfirmed], [true, true]);
  });

  test("isn't confirmed when the appliance can't be asked any more", async (t) => {
    const { directory, exits } = place(t);
    const rehearsal = start(directory, ONE);
    await begun(rehearsal);
    process.kill((await memberRunning(rehearsal.supervisor, "stand-in")).pid, "SIGKILL");
    const report = await rehearsal.finished;
    assert.deepEqual(
      [report.exit.permissionRevoked, report.exit.readOnlyConfirmed],
      [false, false],
    );
    assert.equal(report.passed, false);
    assert.deepEqual(exits(), [report.exit]);
  });

  test("isn't confirmed without its supervisor, with which everything is gone", async (t) => {
    const { directory } = place(t);
    const rehearsal = start(directory);
    await begun(rehearsal);
    const namespace = namespaceOf(rehearsal.supervisor) ?? "";
    await memberRunning(rehearsal.supervisor, "harness");
    process.kill(rehearsal.supervisor, "SIGKILL");
    const report = await rehearsal.finished;
    assert.equal(report.exit.cause, "supervisor-gone");
    assert.equal(report.exit.permissionRevoked, false);
    assert.equal(report.passed, false);
    await isEmpty(namespace);
    // Nobody could open its stores any more: whoever started it removes them, and says so.
    const [left, ...more] = report.abandoned;
    assert.deepEqual(more, []);
    assert.equal(left?.accounts, true);
    assert.equal(left.removed, true);
    assert.deepEqual(readdirSync(directory), []);
  });

  test("isn't started with what isn't of its form", async (t) => {
    const { directory } = place(t);
    const refused = { code: "LAB_LINE" };
    assert.throws(() => start("relative"), refused);
    assert.throws(() => startRehearsal({ directory, seed: -1 }), refused);
    assert.throws(() => startRehearsal({ directory, seed: 1, repeat: 0 }), refused);
    assert.throws(() => start(directory, ONE, 0), refused);
    assert.throws(() => start(directory, ["no_such"]), { code: "LAB_SCENARIO" });
    assert.deepEqual(readdirSync(directory), []);
  });
});

describe("the identity of a lab", () => {
  const supervisedAs = async (directory: string, privileges: string) => {
    const job = {
      ...{ starter: namespaceIdentity(), directory, seed: 1, scenarios: ONE, repeat: 1 },
      ...{ deadlineMs: 120_000, isSearched: false },
    };
    const child = spawn(
      "unshare",
      ["--net", process.execPath, program("supervise-as"), JSON.stringify(job), privileges],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const printed = Buffer.concat(await child.stdout.toArray()).toString();
    const lines = printed.trimEnd().split("\n");
    return lines.map((line) => parseSupervisorLine(Buffer.from(line)));
  };

  test("may do exactly what is rehearsed: then it begins", async (t) => {
    const events = await supervisedAs(place(t).directory, "exact");
    assert.deepEqual(
      events.map(({ type }) => type),
      ["began", "scenario", "scenario", "exit"],
    );
  });

  for (const privileges of ["more", "fewer", "all"])
    test(`isn't taken with ${privileges}: nothing is sent, and the exit is verified`, async (t) => {
      const [event, ...more] = await supervisedAs(place(t).directory, privileges);
      assert.deepEqual(more, []);
      assert.ok(event?.type === "exit");
      const { cause, unexpected, ...exit } = event.report;
      assert.deepEqual([cause, unexpected?.code], ["not-begun", "LAB_PRIVILEGES"]);
      assert.equal(exit.applianceAsBefore, true);
      assert.deepEqual([exit.permissionRevoked, exit.readOnlyConfirmed], [true, true]);
      assert.equal(exit.destroyed, true);
    });
});

const firstLine = async ({ stdout }: ChildProcess): Promise<string> => {
  let text = "";
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
};
