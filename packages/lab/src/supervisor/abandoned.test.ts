import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { swapArguments, temporaryDirectory } from "@drydock/testkit";
import { scanDirectories, searchFor } from "../report/index.js";
import { clearAbandoned } from "./abandoned.js";
import { makePlace, partsOf } from "./place.js";
import { isAbandoned, placePrefix, suffixOf } from "./place-name.js";
import { startRehearsal } from "./start-rehearsal.js";
import { isEmpty, namespaceOf } from "./testing/namespace.js";
import { exitFiles } from "./testing/rehearsal.js";

const START = fileURLToPath(new URL("./testing/start.js", import.meta.url));

/** Of this process, with one part of its name replaced. */
const named = (part: "pid" | "start" | "boot" | "letters", by: string): string => {
  const [, pid = "", start = "", ...boot] = placePrefix().slice(0, -1).split("-");
  const parts = { pid, start, boot: boot.join("-"), letters: "aBc123", [part]: by };
  return `rehearsal-${parts.pid}-${parts.start}-${parts.boot}-${parts.letters}`;
};

/** A process that was, and whose number may be given again. */
const goneProcess = async (): Promise<string> => {
  const child = spawn("true");
  await once(child, "exit");
  return `${child.pid}`;
};

describe("the name of a place", () => {
  test("says that its maker lives", () => {
    assert.equal(isAbandoned(`${placePrefix()}aBc123`), false);
    assert.equal(suffixOf(`${placePrefix()}aBc123`), "aBc123");
  });

  test("says that its maker is gone: no such process, another of its number, another boot", async () => {
    assert.equal(isAbandoned(named("pid", await goneProcess())), true);
    assert.equal(isAbandoned(named("start", "1")), true);
    assert.equal(isAbandoned(named("boot", "00000000-0000-4000-8000-000000000000")), true);
  });

  test("says that its maker is gone, also before anybody has waited for it", async (t) => {
    // A shell that has become another program waits for none of its children.
    const child = spawn("sh", ["-c", "cat <&0 >/dev/null & echo $!; exec tail -f /dev/null"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    t.after(() => child.kill("SIGKILL"));
    const [line] = await once(child.stdout, "data");
    const pid = `${line}`.trim();
    while (readFileSync(`/proc/${child.pid}/comm`, "utf8") !== "tail\n") await pause(1);
    child.stdin.end();
    const stat = (): string => readFileSync(`/proc/${pid}/stat`, "latin1");
    while (!stat().includes(") Z ")) await pause(1);
    const start = stat().split(") ")[1]?.split(" ")[19] ?? "";
    const name = named("pid", pid).replace(/^(rehearsal-[0-9]+-)[0-9]+/, `$1${start}`);
    assert.equal(isAbandoned(name), true);
  });

  test("says nothing when it is none", () => {
    for (const name of [
      "rehearsal-aBc123",
      "exit-aBc123.json",
      "quarantine",
      named("letters", "a"),
    ]) {
      assert.equal(isAbandoned(name), false, name);
      assert.equal(suffixOf(name), null, name);
    }
  });
});

describe("what a killed supervisor left", () => {
  /** A place as a supervisor has one, of a process that isn't this. */
  const leave = (directory: string, stores: number, accounts: boolean): string => {
    const place = join(directory, named("start", "1"));
    const { standIn, scenarios } = partsOf(place);
    for (const path of [standIn, scenarios]) mkdirSync(path, { recursive: true, mode: 0o700 });
    if (accounts) writeFileSync(join(standIn, "config.json"), "{}", { mode: 0o600 });
    for (let made = 0; made < stores; made += 1) {
      const store = join(scenarios, `scenario-${made}`, "store");
      mkdirSync(store, { recursive: true, mode: 0o700 });
      // Nobody opens it to see what it is.
      writeFileSync(join(store, "contracts.sqlite"), "no store", { mode: 0o000 });
    }
    mkdirSync(join(scenarios, "scenario-without"), { mode: 0o700 });
    return place;
  };

  test("is named and removed, and what is beside it stays", (t) => {
    const directory = temporaryDirectory(t);
    const path = leave(directory, 2, true);
    writeFileSync(join(directory, "exit-aBc123.json"), "{}");
    const left = clearAbandoned(directory);
    assert.deepEqual(left, [{ path, stores: 2, accounts: true, removed: true }]);
    assert.deepEqual(readdirSync(directory), ["exit-aBc123.json"]);
  });

  test("is removed when it hadn't begun yet", (t) => {
    const directory = temporaryDirectory(t);
    const path = join(directory, named("start", "1"));
    mkdirSync(path);
    const left = clearAbandoned(directory);
    assert.deepEqual(left, [{ path, stores: 0, accounts: false, removed: true }]);
    assert.deepEqual(readdirSync(directory), []);
  });

  test("isn't what somebody who lives works on", (t) => {
    const directory = temporaryDirectory(t);
    const place = makePlace(directory);
    assert.deepEqual(clearAbandoned(directory), []);
    assert.ok(existsSync(place.scenarios));
    assert.equal(place.remove(), true);
  });

  test("isn't where a link of that name leads", (t) => {
    const [directory, elsewhere] = [temporaryDirectory(t), temporaryDirectory(t)];
    writeFileSync(join(elsewhere, "kept"), "");
    const link = join(directory, named("start", "1"));
    symlinkSync(elsewhere, link);
    assert.deepEqual(clearAbandoned(directory), []);
    assert.ok(lstatSync(link).isSymbolicLink());
    // Nor where one within it does.
    const place = leave(temporaryDirectory(t), 0, false);
    symlinkSync(elsewhere, join(partsOf(place).scenarios, "scenario-link"));
    assert.equal(clearAbandoned(join(place, ".."))[0]?.removed, true);
    assert.deepEqual(readdirSync(elsewhere), ["kept"]);
  });

  test("isn't anything where nobody was", (t) => {
    assert.deepEqual(clearAbandoned(join(temporaryDirectory(t), "none")), []);
  });
});

/** The real set-up, which besides writes down what the supervisor draws: nobody else has it. */
const revealing = (file: string) => ({
  module: "packages/lab/dist/supervisor/set-up.js",
  source: `
    import { writeFileSync } from "node:fs";
    import { makeSetUp as real } from "./set-up.js?real";
    export * from "./set-up.js?real";
    export const makeSetUp = async (directory) => {
      const setUp = await real(directory);
      writeFileSync(${JSON.stringify(file)}, JSON.stringify(setUp.withheld));
      return setUp;
    };`,
});

const pathsBelow = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) =>
    join(directory, name),
  );

/** Somebody who starts a rehearsal, and is killed after its supervisor was: nobody is there to clear. */
const bothKilled = async (t: TestContext, directory: string, drawn: string): Promise<void> => {
  const starter = spawn(
    process.execPath,
    [...swapArguments([revealing(drawn)]), START, directory],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  t.after(() => starter.kill("SIGKILL"));
  const closed = once(starter, "close");
  const [line] = await once(starter.stdout, "data");
  const supervisor = Number(`${line}`.split("\n")[0]);
  const namespace = namespaceOf(supervisor) ?? "";
  const hasStore = (): boolean =>
    pathsBelow(directory).some((path) => path.endsWith("contracts.sqlite"));
  while (!hasStore()) await pause(10);
  // First the starter stops, so that it doesn't see the other's end.
  starter.kill("SIGSTOP");
  process.kill(supervisor, "SIGKILL");
  starter.kill("SIGKILL");
  await closed;
  await isEmpty(namespace);
};

test("supervisor and starter killed: nobody is left to whom a credential could be shown, none is on disk, and the next one removes the rest", async (t) => {
  const [directory, aside] = [temporaryDirectory(t), temporaryDirectory(t)];
  const drawn = join(aside, "drawn.json");
  await bothKilled(t, directory, drawn);
  const paths = pathsBelow(directory);
  assert.ok(paths.length > 0);
  for (const path of paths) assert.equal(lstatSync(path).mode & 0o077, 0, path);
  // Its values are there, as an appliance keeps them; what opens anything isn't.
  const withheld: readonly { readonly id: string; readonly value: string }[] = JSON.parse(
    readFileSync(drawn, "utf8"),
  );
  const found = scanDirectories([directory], searchFor(withheld)).found.map(({ value }) => value);
  assert.ok(found.includes("description-of-other"), found.join());
  for (const id of ["supervisor-password", "lab-key", "lab-password", "appliance-key"]) {
    assert.ok(withheld.some((one) => one.id === id));
    assert.ok(!found.includes(id), id);
  }
  const [left, ...more] = clearAbandoned(directory);
  assert.deepEqual(more, []);
  assert.deepEqual([left?.accounts, left?.removed], [true, true]);
  assert.deepEqual(readdirSync(directory), []);

  const after = startRehearsal({ directory, seed: 1, scenarios: ["clean_passthrough"] });
  const report = await after.finished;
  assert.equal(report.passed, true, JSON.stringify(report.exit));
  // One that ends by itself leaves its exit report alone.
  assert.deepEqual(report.abandoned, []);
  assert.deepEqual(clearAbandoned(directory), []);
  assert.equal(exitFiles(directory).length, 1);
});
