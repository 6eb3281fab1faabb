import assert from "node:assert/strict";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_RECORD_BYTES } from "../record/record.js";
import { testClock } from "../testing/clock.js";
import { testKey } from "../testing/keys.js";
import { MemoryFile } from "../testing/memory-file.js";
import { LogFold, type LogFoldOptions } from "./fold.js";
import { RANGE_BYTES, rangeBuffer, readRange } from "./range.js";
import { foldLines, readLog } from "./read.js";
import { openLog } from "./writer.js";

const manifest = `sha256:${"ab".repeat(32)}`;

/** @returns a source for `bytes`, closed with the test. */
const sourceOf = (t: { after(fn: () => void): void }, path: string, bytes: Uint8Array) => {
  writeFileSync(path, bytes);
  const descriptor = openSync(path, "r");
  t.after(() => closeSync(descriptor));
  return { descriptor, size: bytes.length };
};

test("neighbouring ranges share out every whole line, wherever the borders fall", (t) => {
  const directory = temporaryDirectory(t);
  const buffer = rangeBuffer();
  const file = fc.array(fc.stringMatching(/^[a-z]{0,30}$/), { maxLength: 20 });
  fc.assert(
    fc.property(
      file,
      fc.string({ maxLength: 5 }),
      fc.integer({ min: 1, max: 64 }),
      (lines, tail, length) => {
        const rest = tail.replaceAll("\n", "");
        const text = lines.map((line) => `${line}\n`).join("") + rest;
        const path = join(directory, "log");
        writeFileSync(path, text);
        const descriptor = openSync(path, "r");
        const source = { descriptor, size: Buffer.byteLength(text) };
        let read = "";
        let last = "";
        for (let from = 0; from < source.size; from += length) {
          const range = readRange(source, from, buffer, length);
          if (range.lines.length > 0) assert.equal(range.offset, Buffer.byteLength(read));
          read += range.lines.toString("utf8");
          if (range.rest.length > 0) last = range.rest.toString("utf8");
        }
        closeSync(descriptor);
        assert.equal(read, lines.map((line) => `${line}\n`).join(""));
        assert.equal(last, rest);
      },
    ),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

/** A log of nine ranges, so that two threads read it. */
const longLog = (): Buffer => {
  const parts: Uint8Array[] = [];
  const writer = openLog({
    run: "run-1",
    role: "port",
    manifest,
    key: testKey("port"),
    clock: testClock(),
    nonce: Buffer.alloc(8),
    log: { append: (bytes) => parts.push(bytes), sync: () => undefined },
    checkpoints: new MemoryFile(),
  });
  const padding = "x".repeat(1000);
  const more = Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`p${index}`, padding]));
  for (let index = 0; index < 1500; index += 1) {
    writer.append({
      type: index % 500 === 0 ? "output.cut" : "channel.open",
      measurements:
        index % 500 === 0
          ? { exec: "e", stream: "stdout", dropped: index, kept: 0 }
          : { channel: `bulk.${index}`, ...more },
    });
  }
  return Buffer.concat(parts);
};

test("a long log read by two threads gives what one thread gives, and the same refusals", (t) => {
  const directory = temporaryDirectory(t);
  const log = longLog();
  assert(log.length > 8 * RANGE_BYTES, `${log.length} bytes`);
  const options: LogFoldOptions = {
    run: "run-1",
    role: "port",
    manifest,
    authority: null,
    rootsAt: new Set([0, 1, 150, 777, 1001, 1501, 9999]),
    file: "logs/port.jsonl",
    wanted: new Set(["output.cut"]),
    observeUpTo: 1400,
  };
  const fold = (read: (fold: LogFold) => unknown) => {
    const observed: number[] = [];
    const result = new LogFold(options, (record) => observed.push(record.sequence));
    const problem = read(result);
    const roots = [...options.rootsAt].map((size) => result.rootAt(size)?.toString("hex"));
    const { size, lastType, prev } = result;
    return { problem, observed, roots, size, lastType, prev, root: result.root.toString("hex") };
  };
  const both = (name: string, bytes: Buffer) => {
    const source = sourceOf(t, join(directory, name), bytes);
    const twice = fold((result) => readLog(source, result));
    const end = bytes.lastIndexOf(10) + 1;
    const once = fold((result) => foldLines(bytes.subarray(0, end), 0, result));
    return { twice, once };
  };

  const good = both("good", log);
  assert.deepEqual(good.twice, good.once);
  assert.deepEqual(good.twice.observed, [1, 501, 1001]);
  assert.equal(good.twice.size, 1501);

  for (let place = 0; place < log.length; place += 3 * 1024 * 1024 + 17) {
    const bad = Buffer.from(log);
    bad[place] = (bad[place] ?? 0) ^ 1;
    const { twice, once } = both(`bad-${place}`, bad);
    assert.notEqual(twice.problem, null);
    assert.deepEqual(twice, once, `byte ${place}`);
  }

  const cut = both("cut", log.subarray(0, log.length - 100));
  assert.match(JSON.stringify(cut.twice.problem), /LOG_PARTIAL_LINE/);
  assert.equal(cut.twice.size, 1500);

  const endless = Buffer.concat([log, Buffer.alloc(MAX_RECORD_BYTES * 2, "x")]);
  assert.match(JSON.stringify(both("endless", endless).twice.problem), /LOG_RECORD/);
});
