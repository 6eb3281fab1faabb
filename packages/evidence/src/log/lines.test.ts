import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_RECORD_BYTES } from "../record/record.js";
import { utf8 } from "../testing/bytes.js";
import { linesOf } from "./lines.js";

test("lines are the same however the file comes in chunks", () => {
  const lines = fc.array(fc.stringMatching(/^[a-zé]{0,12}$/), { maxLength: 12 });
  fc.assert(
    fc.property(
      lines,
      fc.stringMatching(/^[a-z]{0,5}$/),
      fc.array(fc.nat(20)),
      (items, rest, cuts) => {
        const bytes = utf8(items.map((line) => `${line}\n`).join("") + rest);
        const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
        const chunks = [...places, bytes.length].map((to, index) =>
          bytes.subarray(places[index - 1] ?? 0, to),
        );
        const found = [...linesOf(chunks)].map(({ bytes, text, ...line }) => {
          assert.equal(text, Buffer.from(bytes).toString("latin1"));
          return { bytes: Buffer.from(bytes).toString(), ...line };
        });
        let offset = 0;
        const expected = items.map((line) => {
          const start = offset;
          offset += utf8(line).length + 1;
          return { bytes: line, offset: start, whole: true };
        });
        if (rest !== "") expected.push({ bytes: rest, offset, whole: false });
        assert.deepEqual(found, expected);
      },
    ),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("a line without an end doesn't grow beyond what a record may have and one chunk", () => {
  const chunk = Buffer.alloc(10_000, "x");
  let read = 0;
  function* endless(): Generator<Buffer> {
    for (;;) {
      read += chunk.length;
      yield chunk;
    }
  }
  const [line] = linesOf(endless());
  assert.equal(line?.whole, false);
  assert(read <= MAX_RECORD_BYTES + 2 * chunk.length, `${read}`);
});
