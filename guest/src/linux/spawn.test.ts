import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Exec, ExitStatus } from "../agent/platform.js";
import { buildNative, needsRoot } from "../testing/native.js";
import { prepareSpawn, runPrepared } from "./spawn.js";

const APPLETS = ["sh", "cat", "id", "env", "sleep", "stty", "tty", "yes", "head", "pwd", "echo"];

describe("a command in a guest", { skip: needsRoot }, () => {
  let directory = "";
  let native = "";
  let root = "";

  before(() => {
    directory = mkdtempSync(join(tmpdir(), "drydock-spawn-"));
    native = buildNative(directory);
    root = join(directory, "root");
    mkdirSync(join(root, "bin"), { recursive: true });
    mkdirSync(join(root, "etc"));
    mkdirSync(join(root, "private"), { mode: 0o700 });
    copyFileSync("/bin/busybox", join(root, "bin/busybox"));
    for (const applet of APPLETS) symlinkSync("busybox", join(root, "bin", applet));
    writeFileSync(join(root, "etc/plain"), "not a program");
    writeFileSync(join(root, "bin/script"), "echo from a script without interpreter\n", {
      mode: 0o755,
    });
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const start = async (argv: readonly string[], change: Partial<Exec> = {}) => {
    const exec: Exec = {
      type: "exec",
      exec: "e1",
      argv,
      env: ["PATH=/bin"],
      cwd: "/",
      user: { uid: 1000, gid: 1000 },
      tty: null,
      stdin: 1,
      stdout: 2,
      stderr: 3,
      killLeftovers: true,
      ...change,
    };
    const place = { cgroup: "", namespace: "", root, descriptors: 64 };
    const running = await runPrepared(await prepareSpawn(native), exec, place);
    const texts = { out: "", err: "" };
    running.stdout.on("data", (bytes: Buffer) => {
      texts.out += bytes;
    });
    running.stderr.on("data", (bytes: Buffer) => {
      texts.err += bytes;
    });
    const closed = [running.stdout, running.stderr].map(
      // A command that says nothing on it may have closed it before anybody could listen.
      (stream) => stream.closed || new Promise((resolve) => stream.on("close", resolve)),
    );
    const done = Promise.all([running.exit, ...closed]).then(([status]) => ({ status, ...texts }));
    return { running, done, texts };
  };
  const run = async (argv: readonly string[], change: Partial<Exec> = {}, input = "") => {
    const { running, done } = await start(argv, change);
    running.stdin.end(input);
    return done;
  };
  const exit = (code: number): ExitStatus => ({ kind: "exit", code });

  it("has its exact exit status or signal reported", async () => {
    assert.deepEqual((await run(["sh", "-c", "exit 7"])).status, exit(7));
    assert.deepEqual((await run(["sh", "-c", "kill -9 $$"])).status, { kind: "signal", signal: 9 });
    assert.deepEqual((await run(["sh", "-c", "exit 0"])).status, exit(0));
  });

  it("that can't be run gives what a shell gives", async () => {
    for (const [argv, change, code, words] of [
      [["nope"], {}, 127, "nope: No such file or directory"],
      [["/bin/nope"], {}, 127, "/bin/nope: No such file or directory"],
      [["/etc/plain"], {}, 126, "/etc/plain: Permission denied"],
      [["/etc"], {}, 126, "/etc: Permission denied"],
      [[""], {}, 127, "No such file or directory"],
      [["sh"], { cwd: "/nope" }, 127, "/nope: No such file or directory"],
      [["sh"], { cwd: "/private" }, 126, "/private: Permission denied"],
    ] as const) {
      const { status, err } = await run(argv, change);
      assert.deepEqual([status, err.includes(words)], [exit(code), true], `${argv}: ${err}`);
    }
    const script = await run(["script"]);
    assert.deepEqual([script.status, script.out], [exit(0), "from a script without interpreter\n"]);
  });

  it("gets exactly its user, environment, directory, limits and pipes", async () => {
    const script = "id -u; id -g; id -G; pwd; ulimit -n; ulimit -c; cat";
    const { out, err, status } = await run(["sh", "-c", script], { cwd: "/bin" }, "input");
    assert.equal(out, "1000\n1000\n1000\n/bin\n64\n0\ninput", err);
    assert.deepEqual(status, exit(0));
    const bare = await run(["env"], { env: ["PATH=/bin", "A=b c", "EMPTY="] });
    assert.equal(bare.out, "PATH=/bin\nA=b c\nEMPTY=\n");
    assert.equal((await run(["id", "-u"], { user: { uid: 0, gid: 0 } })).out, "0\n");
  });

  it("is told when nobody reads its output", async () => {
    const { running, done } = await start(["sh", "-c", "yes; echo over >&2"]);
    running.stdout.once("data", () => running.stdout.destroy());
    running.stdin.end();
    const { status, err } = await done;
    assert.deepEqual([status, err], [exit(0), "over\n"]);
  });

  it("streams as much as it likes, both ways", async () => {
    const { running, done, texts } = await start(["cat"]);
    running.stdin.end("x".repeat(5_000_000));
    await done;
    assert.equal(texts.out.length, 5_000_000);
  });

  it("gets signals, alone or with its group", async () => {
    // The loop outlives the sleep, which a signal to the group may end before it reaches the shell.
    const script = "trap 'echo got; exit 3' TERM; echo up; while :; do sleep 30 & wait; done";
    for (const target of ["process", "group"] as const) {
      const { running, done } = await start(["sh", "-c", script]);
      running.stdin.end();
      await new Promise((resolve) => running.stdout.once("data", resolve));
      running.signal("SIGTERM", target);
      assert.deepEqual(await running.exit, exit(3));
      // The child in the background still holds the pipe when only the shell was signalled.
      if (target === "process") running.stdout.destroy();
      running.stderr.destroy();
      await done;
    }
  });

  it("has a terminal of the size it was given, when it asks for one", async () => {
    const { running, done, texts } = await start(
      ["sh", "-c", "stty size; read x; stty size; echo got:$x"],
      {
        tty: { rows: 30, cols: 100 },
      },
    );
    await new Promise((resolve) => running.stdout.once("data", resolve));
    running.resize(40, 120);
    running.stdin.write("typed\r");
    const { status } = await done;
    assert.deepEqual(status, exit(0));
    assert.equal(texts.out, "30 100\r\ntyped\r\n40 120\r\ngot:typed\r\n");
    assert.equal((await run(["tty"])).out, "not a tty\n");
  });
});
