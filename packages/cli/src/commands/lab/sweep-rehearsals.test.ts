import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { layoutOf } from "@drydock/trial";
import { identifyProcess, readBootId } from "@drydock/vm";
import { describeLeft, sweepRehearsals } from "./sweep-rehearsals.js";

/** No process of this boot made it. */
const PLACE = "rehearsal-1-1-00000000-0000-4000-8000-000000000000-aBc123";
const RUN = "acceptance-20261201T000000Z-0123456789";

/** A state directory with what a killed supervisor left, in a rehearsal's directory below `folder`. */
const left = (t: TestContext, folder: string) => {
  const layout = layoutOf(temporaryDirectory(t));
  mkdirSync(layout.runs);
  const directory = join(layout.state, folder, RUN);
  const path = join(directory, PLACE);
  mkdirSync(join(path, "scenarios"), { recursive: true });
  mkdirSync(join(path, "stand-in"));
  writeFileSync(join(path, "stand-in", "config.json"), "{}");
  const found = { run: RUN, path, stores: 0, accounts: true, removed: true };
  return { layout, directory, path, found };
};

describe("what a killed supervisor left", () => {
  for (const folder of ["rehearsals", "rehearsals/quarantine"])
    test(`in ${folder} is removed and named, with its directory`, (t) => {
      const { layout, directory, found } = left(t, folder);
      assert.deepEqual(sweepRehearsals(layout), [found]);
      assert.equal(existsSync(directory), false);
      assert.deepEqual(sweepRehearsals(layout), []);
    });

  test("beside an exit report is removed alone", (t) => {
    const { layout, directory, found } = left(t, "rehearsals");
    writeFileSync(join(directory, "exit-aBc123.json"), "{}");
    assert.deepEqual(sweepRehearsals(layout), [found]);
    assert.deepEqual(readdirSync(directory), ["exit-aBc123.json"]);
  });

  test("stays where the verb lives, which removes it itself", (t) => {
    const { layout, path, found } = left(t, "rehearsals");
    const owner = (startTicks: number): string =>
      JSON.stringify({
        evidence: join(layout.runs, RUN),
        owner: { bootId: readBootId(), pid: process.pid, startTicks },
      });
    const claim = join(layout.runs, `.owner-${RUN}`);
    writeFileSync(claim, owner(identifyProcess(process.pid)?.startTime ?? 0));
    assert.deepEqual(sweepRehearsals(layout), []);
    assert.ok(existsSync(path));
    // An earlier process of the same number.
    writeFileSync(claim, owner(1));
    assert.deepEqual(sweepRehearsals(layout), [found]);
  });

  test("isn't looked for where nothing was rehearsed", (t) => {
    assert.deepEqual(sweepRehearsals(layoutOf(temporaryDirectory(t))), []);
  });
});

test("a line says what it was and what became of it", () => {
  const one = { run: RUN, path: "/state/place", stores: 1, accounts: true, removed: true };
  assert.equal(
    describeLeft(one),
    `the supervisor of ${RUN} was killed, and left 1 store that nobody can open any more and the accounts of its stand-in: removed`,
  );
  assert.equal(
    describeLeft({ ...one, stores: 0, accounts: false, removed: false }),
    `the supervisor of ${RUN} was killed, and left 0 stores that nobody can open any more: COULD NOT BE REMOVED, do it by hand: /state/place`,
  );
});
