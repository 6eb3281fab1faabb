import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import type { BulkStream } from "@drydock/wire";
import { HELLO, playStage, type Stage } from "../testing/stage.js";
import type { Exec } from "./platform.js";

const textOf = async (stream: BulkStream): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
};

const greet = (stage: Stage): void => {
  stage.send(HELLO);
  stage.send({ type: "channel", name: "drydock.bulk.0" });
};

const ask = (stage: Stage, change: Partial<Exec> = {}) => {
  const [stdin, stdout, stderr] = [stage.bulk.open(), stage.bulk.open(), stage.bulk.open()];
  stdout.end();
  stderr.end();
  stdin.resume();
  stderr.resume();
  const seq = stage.send({
    type: "exec",
    exec: "e1",
    argv: ["cat"],
    env: [],
    cwd: "/",
    user: { uid: 1000, gid: 1000 },
    tty: null,
    stdin: stdin.id,
    stdout: stdout.id,
    stderr: stderr.id,
    killLeftovers: true,
    ...change,
  });
  return { stdin, stdout, stderr, seq };
};

describe("the agent", () => {
  it("greets, runs a command, streams both ways and tells its status", async (test) => {
    const stage = await playStage(test, temporaryDirectory(test));
    // All at once: a host that waits for each answer pays a round trip for each.
    greet(stage);
    const { stdin, stdout } = ask(stage);
    stdin.end("hello ".repeat(100_000));
    await stage.hear("execStarted");
    const [actor] = stage.actors;
    assert.ok(actor !== undefined);
    actor.stdin.once("finish", () => actor.end({ kind: "exit", code: 7 }));
    assert.equal(await textOf(stdout), "hello ".repeat(100_000));
    assert.deepEqual((await stage.hear("execExit")).status, { kind: "exit", code: 7 });
    assert.deepEqual(
      stage.heard.map((message) => message.type),
      ["ready", "channelOpen", "execStarted", "execExit"],
    );
    assert.equal(stage.hellos[0]?.entropy, HELLO.entropy);
  });

  it("passes signals and sizes on, and refuses them for what doesn't run", async (test) => {
    const stage = await playStage(test, temporaryDirectory(test));
    greet(stage);
    ask(stage, { tty: { rows: 24, cols: 80 } });
    stage.send({ type: "signal", exec: "e1", signal: "SIGTERM", target: "group" });
    stage.send({ type: "resize", exec: "e1", rows: 50, cols: 132 });
    const wrong = stage.send({ type: "signal", exec: "e2", signal: "SIGTERM", target: "all" });
    const error = await stage.hear("error");
    assert.deepEqual([error.ref, error.code], [wrong, "unknown-exec"]);
    assert.deepEqual(stage.actors[0]?.signals, ["SIGTERM group", "resize 50 132"]);
    stage.actors[0]?.end({ kind: "signal", signal: 15 });
    assert.deepEqual((await stage.hear("execExit")).status, { kind: "signal", signal: 15 });
  });

  it("stops reading a command's output when the host doesn't read it", async (test) => {
    const stage = await playStage(test, temporaryDirectory(test));
    greet(stage);
    const { stdout } = ask(stage);
    await stage.hear("execStarted");
    const output = stage.actors[0]?.output;
    assert.ok(output !== undefined);
    let written = 0;
    while (output.write(Buffer.alloc(65536)) || written < 2 ** 20) {
      written += 65536;
      await new Promise((resolve) => setImmediate(resolve));
      if (written > 64 * 2 ** 20) break;
    }
    assert.ok(written < 8 * 2 ** 20, `${written} bytes were taken from the command`);
    stage.actors[0]?.end({ kind: "exit", code: 0 });
    assert.ok((await textOf(stdout)).length >= written);
  });

  it("echoes pings with their payload", async (test) => {
    const stage = await playStage(test, temporaryDirectory(test));
    greet(stage);
    stage.send({ type: "ping", nonce: "p1" }, Buffer.alloc(1000, 1));
    assert.equal((await stage.hear("pong")).nonce, "p1");
  });

  it("takes a tree and gives back what matches", async (test) => {
    const directory = temporaryDirectory(test);
    const stage = await playStage(test, directory);
    greet(stage);
    const source = `${directory}/source`;
    mkdirSync(`${source}/dist/deep`, { recursive: true });
    writeFileSync(`${source}/dist/deep/big.bin`, Buffer.alloc(3_000_000, 5));
    writeFileSync(`${source}/readme`, "text");
    const put = stage.bulk.open();
    put.resume();
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    stage.send({ type: "put", stream: put.id, destination: "/work/here", owner });
    put.end(execFileSync("tar", ["--format=posix", "-cf", "-", "-C", source, "."], BIG));
    const done = await stage.hear("putDone");
    assert.deepEqual([done.files, done.bytes], [2, 3_000_004]);
    assert.equal(readFileSync(`${directory}/root/work/here/readme`, "utf8"), "text");

    const out = stage.bulk.open();
    out.end();
    stage.send({
      type: "collect",
      stream: out.id,
      root: "/work/here",
      globs: ["dist/**"],
      limits: { files: 10, bytes: 1e7, depth: 8, pathBytes: 100 },
    });
    const chunks: Buffer[] = [];
    for await (const chunk of out) chunks.push(chunk);
    const listing = execFileSync("tar", ["-tf", "-"], { input: Buffer.concat(chunks) });
    assert.equal(String(listing), "dist/\ndist/deep/\ndist/deep/big.bin\n");
    assert.equal((await stage.hear("collectDone")).bytes, 3_000_000);
  });

  it("refuses to unpack or collect through a link of the command's root", async (test) => {
    const directory = temporaryDirectory(test);
    const stage = await playStage(test, directory);
    greet(stage);
    mkdirSync(`${directory}/outside`);
    symlinkSync(`${directory}/outside`, `${directory}/root/link`);
    const put = stage.bulk.open();
    put.resume();
    put.end(Buffer.alloc(1024));
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    stage.send({ type: "put", stream: put.id, destination: "/link/x", owner });
    assert.equal((await stage.hear("error")).code, "unsafe-archive");
    assert.equal(existsSync(`${directory}/outside/x`), false);
    // The control: the same request beside the link.
    const good = stage.bulk.open();
    good.resume();
    good.end(Buffer.alloc(1024));
    stage.send({ type: "put", stream: good.id, destination: "/real/x", owner });
    await stage.hear("putDone");
    assert.equal(existsSync(`${directory}/root/real/x`), true);
  });

  it("ends with a violation for a second hello, and for a request before any", async (test) => {
    const first = await playStage(test, temporaryDirectory(test));
    first.send(HELLO);
    await first.hear("ready");
    first.send({ ...HELLO, nonce: "nonce-2" });
    const again = await first.served;
    assert.equal(again.kind === "violation" && again.violation.code, "unexpected-message");

    const second = await playStage(test, temporaryDirectory(test));
    second.send({ type: "ping", nonce: "p" });
    const early = await second.served;
    assert.equal(early.kind === "violation" && early.violation.code, "unexpected-message");
  });

  it("ends cleanly when the host says so or leaves", async (test) => {
    const first = await playStage(test, temporaryDirectory(test));
    first.send(HELLO);
    first.send({ type: "shutdown" });
    assert.deepEqual(await first.served, { kind: "end" });
    const second = await playStage(test, temporaryDirectory(test));
    second.control.end();
    assert.deepEqual(await second.served, { kind: "end" });
  });
});

const BIG = { maxBuffer: 1 << 26 };
