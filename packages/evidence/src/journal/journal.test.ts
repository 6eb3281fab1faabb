import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { digestOf } from "../digest/digest.js";
import { parseCheckpoint } from "../log/checkpoint.js";
import { flip, utf8 } from "../testing/bytes.js";
import { testKey } from "../testing/keys.js";
import { TestJournal } from "../testing/run-fixture.js";
import { readJournal } from "./read.js";
import { type JournalRun, journalWriter } from "./writer.js";

const key = testKey("controller");
const digest = (name: string) => digestOf(utf8(name));
const attempt = (run: string, experiment = "e"): JournalRun => ({
  run,
  manifest: digest(`manifest of ${run}`),
  experiment: digest(experiment),
  wall: "2026-11-30T10:00:00.000Z",
});

const filled = () => {
  const files = new TestJournal();
  const writer = journalWriter(files.read(key), key, files);
  writer.sealed(attempt("run-1"));
  writer.verdict(attempt("run-1"), "FAIL", digest("statement"));
  writer.sealed(attempt("other", "another experiment"));
  writer.sealed(attempt("run-2"));
  return { files, writer };
};

test("lists earlier attempts of the same experiment with their verdicts, unfinished ones too", () => {
  const { files } = filled();
  const writer = journalWriter(files.read(key), key, files);
  const { place, earlierAttempts, note } = writer.sealed(attempt("run-3"));
  assert.deepEqual(
    earlierAttempts.map(({ run, index, verdict }) => [run, index, verdict]),
    [
      ["run-1", 0, "FAIL"],
      ["run-2", 3, null],
    ],
  );
  assert.deepEqual([place.index, place.size], [4, 5]);
  assert.equal(`sha256:${parseCheckpoint(note).root.toString("hex")}`, place.root);
  assert.equal(files.read(key).entries.length, 5);
});

test("a flipped, deleted, repeated, moved or cut entry is refused", () => {
  const { files } = filled();
  const refuse = (log: Buffer, checkpoints = files.checkpoints.text) =>
    assert.throws(() => readJournal({ log: [log], checkpoints }, key.public), {
      code: /^(JOURNAL|NOTE|CHECKPOINT)_FORMAT$/,
    });
  const bytes = files.log.bytes;
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      refuse(flip(bytes, at, mask));
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
  const lines = files.log.text.split("\n").slice(0, -1);
  const [first = "", second = "", ...rest] = lines;
  for (const changed of [
    [second, ...rest],
    [first, ...rest],
    [first, first, second, ...rest],
    [second, first, ...rest],
    lines.slice(0, -1),
    [...lines, lines.at(-1) ?? ""],
  ]) {
    refuse(utf8(changed.map((line) => `${line}\n`).join("")));
  }
  refuse(bytes, "");
  readJournal({ log: [bytes], checkpoints: files.checkpoints.text }, key.public);
});

test("a journal of another key is refused", () => {
  const { files } = filled();
  assert.throws(() => files.read(testKey("other")), { code: "JOURNAL_FORMAT" });
});

test("only the owner may take up entries that a crash left unsigned", () => {
  const { files, writer } = filled();
  const signed = files.checkpoints.text;
  writer.sealed(attempt("run-4"));
  const crashed = { log: [files.log.bytes], checkpoints: signed };
  assert.throws(() => readJournal(crashed, key.public), { code: "JOURNAL_FORMAT" });
  assert.equal(readJournal(crashed, key.public, true).entries.length, 5);
});
