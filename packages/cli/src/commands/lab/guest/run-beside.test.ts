import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";

const MODULE = new URL("./run-beside.js", import.meta.url).href;
const USER = { uid: 65_534, gid: 65_534 };

/** The program in a process of its own, as it is in a guest. */
const beside = (command: readonly string[], input = "") => {
  const source = `
    import { endAs, runBeside } from ${JSON.stringify(MODULE)};
    const [asked] = process.argv.slice(1);
    endAs(await runBeside(JSON.parse(asked)));`;
  const asked = JSON.stringify({
    command,
    user: USER,
    env: { PATH: process.env["PATH"], GIVEN: "1" },
  });
  return spawnSync(process.execPath, ["--input-type=module", "-e", source, asked], {
    encoding: "utf8",
    input,
    env: { ...process.env, OURS: "1" },
  });
};

describe("a command beside a stand-in", () => {
  test("is another user, in no group, without any capability, and root is asked nothing", () => {
    const { stdout, status } = beside([
      "sh",
      "-c",
      "id -u; id -g; id -G; grep -E '^Cap(Prm|Eff|Amb)' /proc/self/status; kill -0 $PPID",
    ]);
    const none = "0".repeat(16);
    assert.equal(
      stdout.replaceAll("\t", " "),
      `65534\n65534\n65534\nCapPrm: ${none}\nCapEff: ${none}\nCapAmb: ${none}\n`,
    );
    assert.notEqual(status, 0, "it may signal nobody");
  });

  test("has the descriptors, and the environment that it is given and no other", () => {
    const { stdout, stderr, status } = beside(
      ["sh", "-c", "cat; echo [$GIVEN$OURS]; echo err >&2; exit 7"],
      "in\n",
    );
    assert.deepEqual(
      { stdout, stderr, status },
      { stdout: "in\n[1]\n", stderr: "err\n", status: 7 },
    );
  });

  for (const signal of ["SIGKILL", "SIGTERM", "SIGINT", "SIGSEGV"] as const)
    test(`that ends by ${signal} ends who started it by it`, () => {
      assert.equal(beside(["sh", "-c", `kill -${signal.slice(3)} $$`]).signal, signal);
    });

  test("that isn't there, or can't be run, ends as in a shell", () => {
    assert.equal(beside(["/nonexistent"]).status, 127);
    assert.equal(beside(["/etc"]).status, 126);
  });
});
