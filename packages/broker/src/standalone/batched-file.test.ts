import assert from "node:assert/strict";
import { test } from "node:test";
import { batched } from "./batched-file.js";

const lineOf = (text: string): Uint8Array => Buffer.from(`${text}\n`);

const fileThat = (append: (bytes: Uint8Array) => void) => ({
  append,
  sync: () => undefined,
  close: () => undefined,
});

test("what is appended in one turn is one write, and is written before a sync", () => {
  const writes: string[] = [];
  const calls: (() => void)[] = [];
  const file = batched(
    fileThat((bytes) => writes.push(Buffer.from(bytes).toString())),
    (flush) => calls.push(flush),
  );
  file.append(lineOf("one"));
  file.append(lineOf("two"));
  assert.deepEqual(writes, []);
  for (const call of calls.splice(0)) call();
  file.append(lineOf("three"));
  file.sync();
  assert.deepEqual(writes, ["one\ntwo\n", "three\n"]);
});

test("after a write that failed nothing is written any more", () => {
  const writes: string[] = [];
  let full = true;
  const file = batched(
    fileThat((bytes) => {
      if (full) throw new Error("no space left");
      writes.push(Buffer.from(bytes).toString());
    }),
    () => undefined,
  );
  file.append(lineOf("lost"));
  assert.throws(() => file.sync(), /no space left/);
  full = false;
  assert.throws(() => file.append(lineOf("next")), /no space left/);
  assert.throws(() => file.sync(), /no space left/);
  assert.deepEqual(writes, []);
});
