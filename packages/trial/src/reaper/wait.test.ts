import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { socketPair } from "../link/index.js";
import { testNative } from "../testing/native.js";

interface Ending {
  after(fn: () => unknown): void;
}

interface Waiting {
  readonly child: ChildProcess;
  readonly lines: readonly Socket[];
  /** Resolves with the exit status; the program that removes a run would exit 3. */
  readonly ended: Promise<number | null>;
  readonly acted: () => boolean;
}

const FAR = 60_000;
const ACTED = 3;
const SILENT = 0;

describe("the reaper's wait", () => {
  let native: string;
  before(async () => {
    native = await testNative();
  });

  const wait = async (
    t: Ending,
    { within = FAR, lines: count = 2, program = "true" } = {},
  ): Promise<Waiting> => {
    const directory = temporaryDirectory(t);
    const mark = join(directory, "acted");
    const pairs = await Promise.all(Array.from({ length: count }, () => socketPair(directory)));
    const watched = pairs.flatMap((_pair, index) => ["--watch", String(3 + index)]);
    const child = spawn(
      native,
      [
        ...["reap", "--within", String(within), ...watched, "--"],
        ...["/bin/sh", "-c", `: > ${mark}; ${program}; exit ${ACTED}`],
      ],
      { stdio: ["ignore", "ignore", "pipe", ...pairs.map(([, theirs]) => theirs)] },
    );
    t.after(() => child.kill("SIGKILL"));
    const lines = pairs.map(([ours, theirs]) => {
      theirs.destroy();
      ours.on("error", () => undefined).resume();
      return ours;
    });
    const ended = once(child, "exit").then(([code]) => code as number | null);
    return { child, lines, ended, acted: () => existsSync(mark) };
  };

  const heard = async (line: Socket | undefined): Promise<string> =>
    String((await once(line as Socket, "data"))[0]);

  for (const [index, whose] of ["the launcher", "the controller"].entries())
    test(`a line that closes without a good-bye makes it act: ${whose}`, async (t) => {
      const { lines, ended, acted } = await wait(t);
      lines[index]?.destroy();
      assert.equal(await ended, ACTED);
      assert.equal(acted(), true);
    });

  test("it leaves in peace only when all lines have said good-bye", async (t) => {
    const { lines, ended, acted, child } = await wait(t);
    lines[1]?.write("Q\n");
    assert.equal(await heard(lines[1]), "ok\n");
    lines[1]?.destroy();
    lines[0]?.write("D 60000\n");
    assert.equal(await heard(lines[0]), "ok\n");
    assert.equal(child.exitCode, null);
    lines[0]?.write("Q\n");
    assert.equal(await ended, SILENT);
    assert.equal(acted(), false);
  });

  test("one good-bye doesn't speak for the other line", async (t) => {
    const { lines, ended } = await wait(t);
    lines[1]?.write("Q\n");
    await heard(lines[1]);
    lines[0]?.destroy();
    assert.equal(await ended, ACTED);
  });

  test("the first deadline holds although nobody ever speaks", async (t) => {
    const { ended } = await wait(t, { within: 100 });
    assert.equal(await ended, ACTED);
  });

  test("each deadline replaces the one before, earlier or later", async (t) => {
    const { lines, ended } = await wait(t, { within: 300 });
    lines[1]?.write("D 60000\n");
    await heard(lines[1]);
    lines[1]?.write("D 1\n");
    assert.equal(await ended, ACTED);
  });

  test("a deadline that was moved away doesn't fire", async (t) => {
    const { lines, ended } = await wait(t, { within: 400 });
    const began = performance.now();
    lines[1]?.write("D 1500\n");
    assert.equal(await ended, ACTED);
    assert.ok(performance.now() - began >= 1400);
  });

  test("a line may arrive in any pieces", async (t) => {
    const { lines, ended, acted } = await wait(t, { lines: 1 });
    for (const piece of ["D", " 6", "0000", "\nD 50000\n", "Q", "\n"]) {
      lines[0]?.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await ended, SILENT);
    assert.equal(acted(), false);
  });

  for (const line of [
    ...["", " ", "q", "QQ", " Q", "Q ", "Q\0", "Q\r", "D", "D ", "D x", "D -1", "D 1 ", "D +1"],
    ...["D  1", "d 1", "D 1e3", "D 0x10", "D 864000001", "D 99999999999999999999", "ok"],
    "x".repeat(31),
  ])
    test(`anything but an order makes it act: ${JSON.stringify(line)}`, async (t) => {
      const { lines, ended } = await wait(t);
      lines[1]?.write(`${line}\n`);
      assert.equal(await ended, ACTED);
    });

  test("a line without an end is not collected for ever", async (t) => {
    const { lines, ended } = await wait(t);
    lines[0]?.write("D 1000000000000000000000000000000000000");
    assert.equal(await ended, ACTED);
  });

  test("who doesn't read the answers is as good as gone", async (t) => {
    const { lines, ended } = await wait(t);
    lines[1]?.pause();
    lines[1]?.write("D 60000\n".repeat(50_000));
    assert.equal(await ended, ACTED);
  });

  test("its lines close only when the removal is over", async (t) => {
    const { lines, ended } = await wait(t, { program: "sleep 0.3" });
    const began = performance.now();
    lines[1]?.destroy();
    await once(lines[0] as Socket, "close");
    assert.ok(performance.now() - began >= 300);
    assert.equal(await ended, ACTED);
  });

  test("it watches as many lines as it has room for, and refuses more", async (t) => {
    const { lines, ended } = await wait(t, { lines: 8 });
    for (const line of lines) line.write("Q\n");
    assert.equal(await ended, SILENT);
    const over = await wait(t, { lines: 9 });
    assert.equal(await over.ended, 125);
    assert.equal(over.acted(), false);
  });

  for (const args of [
    ["--watch", "3", "--", "/bin/true"],
    ["--within", "10", "--", "/bin/true"],
    ["--within", "10", "--watch", "99", "--", "/bin/true"],
    ["--within", "x", "--watch", "0", "--", "/bin/true"],
    ["--within", "10", "--watch", "0", "--"],
    ["--within", "10", "--watch", "0", "/bin/true"],
  ])
    test(`a wrong command line starts nothing: ${args.join(" ")}`, async () => {
      const child = spawn(native, ["reap", ...args], { stdio: ["ignore", "ignore", "pipe"] });
      const [code] = await once(child, "close");
      assert.equal(code, 125);
    });

  test("any bytes: it acts on the first that are no order, and never fails in another way", async (t) => {
    const order = fc.oneof(
      fc.constantFrom("Q\n", "D 60000\n", "D 0060000\n"),
      fc.nat(99_999).map((ms) => `D ${ms + 60_000}\n`),
      fc.string({ unit: "binary", maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 6 }), async (pieces) => {
        const endings: (() => unknown)[] = [];
        const { lines, ended } = await wait({ after: (fn) => endings.push(fn) }, { lines: 1 });
        lines[0]?.end(Buffer.from(pieces.join("")));
        assert.equal(await ended, expectedOf(Buffer.from(pieces.join(""))));
        for (const ending of endings) await ending();
      }),
      { seed: profile.seed, numRuns: Math.min(profile.fuzz, 2_000) / 4 },
    );
    t.diagnostic("ends with a close, so that it always ends");
  });
});

/** What the specification says of one line that ends with a close. */
const expectedOf = (bytes: Buffer): number => {
  for (const line of bytes.toString("latin1").split("\n").slice(0, -1)) {
    if (line === "Q") return SILENT;
    const [, ms = ""] = /^D ([0-9]+)$/.exec(line) ?? [];
    if (line.length > 31 || ms === "" || Number(ms) > 864_000_000) return ACTED;
  }
  return ACTED;
};
