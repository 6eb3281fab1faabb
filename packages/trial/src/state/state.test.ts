import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { haltOn, haltStatus } from "@drydock/ledger";
import { temporaryDirectory } from "@drydock/testkit";
import { machineCeiling, runDemand } from "./capacity.js";
import { haltPlaces, stateDirectories } from "./directories.js";
import { refuseUnderHalt } from "./halt-guard.js";
import { VERBS, type Verb } from "./verbs.js";

const AT = "2026-11-30T12:00:00.000Z";

test("under halt each dynamic verb refuses and each static one goes on", (t) => {
  const directory = temporaryDirectory(t);
  const places = haltPlaces({ state: directory }, join(directory, "etc"));
  const verbs = Object.entries(VERBS) as [Verb, (typeof VERBS)[Verb]][];
  assert.ok(verbs.some(([, kind]) => kind === "dynamic"));

  const clear = haltStatus(places, () => false);
  for (const [verb] of verbs) assert.doesNotThrow(() => refuseUnderHalt(verb, clear), verb);

  haltOn(places[0], "smoke in the rack", AT);
  const halted = haltStatus(places, () => false);
  for (const [verb, kind] of verbs) {
    const attempt = () => refuseUnderHalt(verb, halted);
    if (kind === "static") assert.doesNotThrow(attempt, verb);
    else assert.throws(attempt, { code: "HALTED", message: /smoke in the rack/ }, verb);
  }
});

test("a plain file at the machine's place is a halt for everyone", (t) => {
  const directory = temporaryDirectory(t);
  const machine = join(directory, "halt");
  const places = haltPlaces({ state: join(directory, "home") }, machine);
  mkdirSync(join(directory, "home"));
  assert.equal(haltStatus(places, () => false).halted, false);
  writeFileSync(machine, "");
  assert.throws(
    () =>
      refuseUnderHalt(
        "run",
        haltStatus(places, () => false),
      ),
    { code: "HALTED" },
  );
});

test("state lies under DRYDOCK_HOME, or where XDG says", () => {
  assert.deepEqual(stateDirectories({ DRYDOCK_HOME: "/d/" }, "/home/a"), {
    state: "/d",
    cache: "/d/cache",
  });
  assert.deepEqual(stateDirectories({ XDG_STATE_HOME: "/s" }, "/home/a"), {
    state: "/s/drydock",
    cache: "/home/a/.cache/drydock",
  });
  for (const bad of ["", "d", "../d", "/a/../d"]) {
    assert.throws(() => stateDirectories({ DRYDOCK_HOME: bad }, "/home/a"), {
      code: "HOME_INVALID",
    });
  }
});

test("without a home directory of the user nothing is put into the root", () => {
  for (const home of ["", "relative", "./x"]) {
    for (const environment of [{}, { XDG_STATE_HOME: "/s" }, { XDG_CACHE_HOME: "/c" }])
      assert.throws(() => stateDirectories(environment, home), {
        code: "HOME_INVALID",
        fix: /^Set HOME .* or DRYDOCK_HOME/,
      });
    assert.equal(stateDirectories({ DRYDOCK_HOME: "/d" }, home).state, "/d");
    const both = { XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/c" };
    assert.equal(stateDirectories(both, home).state, "/s/drydock");
  }
});

test("the ceiling leaves the host something, and a run's demand covers all it may fill", () => {
  const GIB = 1024 ** 3;
  const ceiling = machineCeiling({ memoryBytes: 8 * GIB, cpus: 2, freeDiskBytes: 80 * GIB });
  assert.equal(ceiling.memoryBytes, 7 * GIB);
  assert.equal(ceiling.diskBytes, 70 * GIB);
  const demand = runDemand({
    cpus: 1,
    vmmMemoryBytes: GIB,
    diskBytes: 8 * GIB,
    consoleBytes: 1,
    outputBytes: 2,
    artifactBytes: 3,
    wallMs: 5,
  });
  assert.deepEqual(demand, {
    liveBodies: 1,
    memoryBytes: GIB,
    cpuMillis: 1_000,
    diskBytes: 8 * GIB + 6,
    wallMillis: 5,
  });
});
