import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { buildProgram } from "../cli.js";
import { egressOf, type RunFlags, specFromFlags } from "./flags.js";

/** Values that a flag refuses, and one that it takes. */
interface Values {
  readonly bad: readonly string[];
  readonly good: string;
}

const COUNT = { bad: ["x", "", "-1", "1.5", "0x10", "1e3", " 1", "99999999"], good: "32" };
const SIZE = { bad: ["x", "", "1", "-1", "1MB", "1.5GiB", "99999TiB"], good: "64MiB" };
const TIME = { bad: ["x", "", "5", "-5s", "1d", "0s", "9999h"], good: "5m" };

const FLAGS: Readonly<Record<string, Values>> = {
  "--ref": { bad: [], good: "v1" },
  "--source": { bad: [], good: "." },
  "--image": { bad: ["", "B", "../x", "a b"], good: "debian" },
  "--env": { bad: ["", "=x", "A", "A B=1", "1A=x", "A=\0"], good: "A=b=c" },
  "--cwd": { bad: ["", "rel", "/a/../b", "/a\0"], good: "/tmp" },
  "--user": { bad: ["", "bob", "-1", "1:2:3", "4294967295", "01"], good: "0:7" },
  "--artifact": { bad: ["", "../x", "a/../b"], good: "out/**" },
  "--cpus": { ...COUNT, bad: [...COUNT.bad, "0", "33"], good: "2" },
  "--memory": { ...SIZE, bad: [...SIZE.bad, "1KiB"], good: "128MiB" },
  "--disk": { ...SIZE, bad: [...SIZE.bad, "1KiB"] },
  "--timeout": TIME,
  "--idle": TIME,
  "--output": SIZE,
  "--console": { ...SIZE, bad: [...SIZE.bad, "1GiB"], good: "1MiB" },
  "--max-artifacts": COUNT,
  "--artifact-size": SIZE,
  "--artifact-depth": { ...COUNT, bad: [...COUNT.bad, "0"] },
  "--guest-pids": { ...COUNT, bad: [...COUNT.bad, "7"] },
  "--guest-fds": { ...COUNT, bad: [...COUNT.bad, "31"] },
  "--key": { bad: ["", "a/b", "-a", "a".repeat(129)], good: "nightly-1" },
  "--canary": { bad: ["", "a", "1A", "A-B", "A".repeat(65)], good: "BACKUP_KEY" },
  "--json-file": { bad: [], good: "/tmp/x" },
};

/** Flags whose values commander, or the broker's room, reads; each has tests of its own. */
const ELSEWHERE = ["--exit", "--allow", "--policy", "--resolver", "--secret", "--upstream-roots"];

const run = buildProgram(() => undefined).commands.find((command) => command.name() === "run");
const options = run?.options ?? [];

const flagsWith = (long: string, value: string): RunFlags => {
  const option = options.find((one) => one.long === long);
  assert.ok(option, `run has no ${long}`);
  const name = option.attributeName();
  const source = name === "ref" ? { source: "." } : {};
  const list = ["env", "artifact", "canary"].includes(name);
  return { snapshot: true, exit: "command", ...source, [name]: list ? [value] : value };
};

/** What nobody should have to read: a library's words. */
const RAW = /Invalid|expected|received|match pattern|Too (big|small)|undefined|\[object|NaN/;

describe("flags of run and shell", () => {
  for (const { long, required } of options) {
    if (long === undefined || !required) continue;
    if (ELSEWHERE.some((known) => long.startsWith(known))) continue;
    const values = FLAGS[long];
    test(`${long} takes a good value and refuses a bad one in one line, by its name, with the fix`, () => {
      assert.ok(values, "every flag with a value is in the table");
      specFromFlags(flagsWith(long, values.good), ["true"]);
      for (const bad of [...values.bad, "--"])
        assert.throws(
          () => specFromFlags(flagsWith(long, bad), ["true"]),
          (error) => {
            assert.ok(isDrydockError(error), String(error));
            const said = `${long} ${JSON.stringify(bad)}: ${error.message}`;
            assert.ok(error.message.startsWith(`${long} `), said);
            assert.doesNotMatch(error.message, /\n/, said);
            assert.doesNotMatch(error.message, RAW, said);
            assert.ok((error.fix ?? "").length > 0, said);
            return true;
          },
        );
    });
  }

  test("a flag that says nothing without --source is refused, and taken with it", () => {
    const plain: RunFlags = { snapshot: true, exit: "command" };
    for (const flags of [{ ref: "v1" }, { workingTree: true }]) {
      assert.throws(() => specFromFlags({ ...plain, ...flags }, ["true"]), { fix: /--source/ });
      specFromFlags({ ...plain, ...flags, source: "." }, ["true"]);
    }
    specFromFlags(plain, ["true"]);
    assert.deepEqual(egressOf(plain), {});
  });

  test("one variable has one value", () => {
    const flags = (env: readonly string[]): RunFlags => ({ snapshot: true, exit: "command", env });
    assert.throws(() => specFromFlags(flags(["A=1", "A=1"]), ["true"]), { message: /"A" twice/ });
    assert.deepEqual(specFromFlags(flags(["A=1", "B=1"]), ["true"]).env, { A: "1", B: "1" });
  });
});
