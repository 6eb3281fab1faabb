import assert from "node:assert/strict";
import { readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { digestOf } from "../digest/digest.js";
import { parseCanonical } from "../json/parse-canonical.js";
import { FIRST_PREV, readRecord } from "../record/record.js";
import { testClock } from "../testing/clock.js";
import { testKey } from "../testing/keys.js";
import { MemoryFile } from "../testing/memory-file.js";
import { parseCheckpoint, splitNotes } from "./checkpoint.js";
import { type AppendFile, openAppendFile } from "./file.js";
import { leafHash, rootOf } from "./merkle.js";
import { isNoteSignedBy } from "./note.js";
import { recoverLog } from "./recover.js";
import { continueLog, type LogOptions, openLog } from "./writer.js";

const manifest = digestOf(Buffer.from("manifest"));

const optionsWith = (log: AppendFile, checkpoints: AppendFile): LogOptions => ({
  run: "run-1",
  role: "port",
  manifest,
  key: testKey("port"),
  clock: testClock(),
  nonce: Buffer.alloc(8, 1),
  log,
  checkpoints,
});

const open = () => {
  const log = new MemoryFile();
  const checkpoints = new MemoryFile();
  const options = optionsWith(log, checkpoints);
  return { log, checkpoints, options, writer: openLog(options) };
};

const violation = { channel: "control.0", rule: "duplicate-key", offset: 12 };

test("each line is canonical, names the one before, and record 0 binds run, role and manifest", () => {
  const { log, writer } = open();
  writer.append({ type: "channel.open", measurements: { channel: "control.0" } });
  writer.append({ type: "channel.violation", decision: "closed", measurements: violation });
  const lines = log.text.split("\n");
  assert.equal(lines.pop(), "");
  const records = lines.map((line) => readRecord(parseCanonical(Buffer.from(line))));
  assert.deepEqual(
    records.map((record) => record.prev),
    [FIRST_PREV, ...lines.slice(0, -1).map((line) => digestOf(Buffer.from(line)))],
  );
  assert.deepEqual(
    records.map((record) => [record.sequence, record.type, record.class]),
    [
      [0, "port.begin", "BROKER_OBSERVED"],
      [1, "channel.open", "BROKER_OBSERVED"],
      [2, "channel.violation", "BROKER_OBSERVED"],
    ],
  );
  assert.deepEqual(records[0]?.measurements, { manifest });
  assert.equal(new Set(records.map((record) => record.event)).size, 3);
});

test("a checkpoint signs the root of all lines, and is durable after them", () => {
  const { log, checkpoints, writer } = open();
  writer.append({ type: "channel.open", measurements: { channel: "control.0" } });
  assert.equal(log.durable.length, 0);
  const head = writer.checkpoint();
  assert.equal(log.durable.length, log.bytes.length);
  assert.equal(checkpoints.durable.length, checkpoints.bytes.length);
  const hashes = log.text
    .split("\n")
    .slice(0, -1)
    .map((line) => leafHash(Buffer.from(line)));
  const signed = parseCheckpoint(head.note);
  assert.deepEqual([signed.size, signed.root], [2, rootOf(hashes)]);
  assert.equal(signed.origin, "drydock.dev/log/v1/run-1/port");
  assert(isNoteSignedBy(signed.note, signed.origin, testKey("port").public));
  writer.checkpoint();
  assert.equal(splitNotes(checkpoints.text).length, 2);
});

test("an event that isn't what its type says is refused and leaves no trace", () => {
  const { log, writer } = open();
  const before = log.bytes;
  const wrong = (event: Parameters<typeof writer.append>[0], code: string) =>
    assert.throws(() => writer.append(event), { code }, JSON.stringify(event));
  wrong({ type: "channel.open", measurements: {} }, "EVENT_MEASUREMENT");
  wrong({ type: "channel.open", measurements: { channel: 1 } }, "EVENT_MEASUREMENT");
  wrong({ type: "port.end", decision: "PASS" }, "EVENT_DECISION");
  wrong({ type: "port.end" }, "EVENT_DECISION");
  wrong({ type: "channel.open", decision: "clean", measurements: violation }, "EVENT_DECISION");
  wrong({ type: "run.end", decision: "completed", measurements: { exit: {} } }, "EVENT_ROLE");
  wrong({ type: "channel.open", measurements: { ...violation, bad: 0.5 } }, "JSON_VALUE");
  wrong({ type: "channel.open", measurements: { ...violation, deep: [[[[[1]]]]] } }, "SHAPE_RANGE");
  wrong(
    { type: "channel.open", measurements: { ...violation, body: "x".repeat(1025) } },
    "SHAPE_RANGE",
  );
  const long = Array.from({ length: 40 }, () => "x".repeat(1000));
  wrong({ type: "channel.open", measurements: { ...violation, long } }, "EVENT_SIZE");
  assert.deepEqual(log.bytes, before);
  writer.append({ type: "channel.open", measurements: violation });
});

test("after a failed write nothing more is signed", () => {
  const { checkpoints } = open();
  let full = false;
  const log: AppendFile = {
    append: () => {
      if (full) throw new Error("ENOSPC");
    },
    sync: () => undefined,
  };
  const writer = openLog(optionsWith(log, checkpoints));
  writer.checkpoint();
  full = true;
  const event = { type: "channel.open", measurements: { channel: "control.0" } } as const;
  assert.throws(() => writer.append(event), /ENOSPC/);
  full = false;
  assert.throws(() => writer.append(event), { code: "LOG_BROKEN" });
  assert.throws(() => writer.checkpoint(), { code: "LOG_BROKEN" });
});

test("a log cut anywhere recovers its last whole record and goes on from there", () => {
  const { log, writer } = open();
  for (let index = 0; index < 5; index += 1) {
    writer.append({ type: "channel.open", measurements: { channel: `bulk.${index}` } });
  }
  const expected = { run: "run-1", role: "port", manifest } as const;
  const ends = [...log.bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1);
  fc.assert(
    fc.property(fc.nat(log.bytes.length), (length) => {
      const cut = log.bytes.subarray(0, length);
      const recovered = recoverLog([cut], expected);
      const whole = ends.filter((end) => end <= length);
      assert.equal(recovered.size, whole.length);
      assert.equal(recovered.bytes, whole.at(-1) ?? 0);
      assert.equal(recovered.stopped, recovered.bytes === length ? null : "partial-line");

      const resumed = new MemoryFile();
      resumed.append(cut.subarray(0, recovered.bytes));
      const again = continueLog(optionsWith(resumed, new MemoryFile()), recovered.tail);
      if (recovered.size === 0) return;
      again.append({ type: "channel.open", measurements: { channel: "bulk.9" } });
      assert.equal(recoverLog([resumed.bytes], expected).stopped, null);
      assert.equal(recoverLog([resumed.bytes], expected).size, recovered.size + 1);
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("recovery stops at a bad middle event and skips nothing", () => {
  const { log, writer } = open();
  for (let index = 0; index < 4; index += 1) {
    writer.append({ type: "channel.open", measurements: { channel: `bulk.${index}` } });
  }
  const lines = log.text.split("\n").slice(0, -1);
  const without = Buffer.from(`${[...lines.slice(0, 2), ...lines.slice(3)].join("\n")}\n`);
  const recovered = recoverLog([without], { run: "run-1", role: "port", manifest });
  assert.equal(recovered.size, 2);
  assert.notEqual(recovered.stopped, null);
});

test("the file port creates once, appends, follows no link, and survives a restart", (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, "port.jsonl");
  const heads = join(directory, "port.checkpoint");
  const log = openAppendFile(path, "create");
  const checkpoints = openAppendFile(heads, "create");
  const writer = openLog(optionsWith(log, checkpoints));
  writer.checkpoint();
  writer.append({ type: "channel.open", measurements: { channel: "control.0" } });
  log.close();
  checkpoints.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.throws(() => openAppendFile(path, "create"), { code: "EEXIST" });
  assert.throws(() => openAppendFile(join(directory, "absent"), "extend"), { code: "ENOENT" });
  symlinkSync(path, join(directory, "link"));
  assert.throws(() => openAppendFile(join(directory, "link"), "extend"), { code: "ELOOP" });

  writeFileSync(path, `${readFileSync(path, "utf8")}{"half`);
  const recovered = recoverLog([readFileSync(path)], { run: "run-1", role: "port", manifest });
  assert.equal(recovered.stopped, "partial-line");
  truncateSync(path, recovered.bytes);
  const again = openAppendFile(path, "extend");
  const resumed = continueLog(optionsWith(again, new MemoryFile()), recovered.tail);
  resumed.append({ type: "port.end", decision: "clean" });
  again.close();
  const whole = recoverLog([readFileSync(path)], { run: "run-1", role: "port", manifest });
  assert.deepEqual([whole.size, whole.lastType, whole.stopped], [3, "port.end", null]);
});
