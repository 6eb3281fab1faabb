import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { linesOf, MAX_LINE_BYTES } from "./lines.js";

const read = async (...chunks: readonly string[]): Promise<readonly string[]> => {
  const lines: string[] = [];
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  for await (const line of linesOf(stream)) lines.push(line.toString());
  return lines;
};

describe("lines between processes", () => {
  test("are the same however they arrive", async () => {
    const text = "one\n\ntwo\n";
    assert.deepEqual(await read(text), ["one", "", "two"]);
    assert.deepEqual(await read(...text), ["one", "", "two"]);
  });

  test("end with a line feed: what was cut off isn't one", async () => {
    assert.deepEqual(await read("one\ntw"), ["one"]);
    assert.deepEqual(await read("one\ntwo\n"), ["one", "two"]);
  });

  test("are bounded, also while they aren't at their end", async () => {
    const longest = "x".repeat(MAX_LINE_BYTES);
    assert.deepEqual(await read(`${longest}\n`), [longest]);
    await assert.rejects(read(`${longest}x\n`), { code: "LAB_LINE" });
    await assert.rejects(read(longest, "x", "y"), { code: "LAB_LINE" });
  });
});
