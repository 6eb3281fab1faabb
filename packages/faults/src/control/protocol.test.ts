import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { readLines } from "./lines.js";
import { MAX_LINE_BYTES, parseCommand, parseTold } from "./protocol.js";

const line = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const arming = { phase: "mutation", nth: 1, faults: [{ kind: "pass" }], seed: 1 };
const good = { type: "arm", id: 1, name: "a", arming };

describe("a control message", () => {
  it("is read strictly", () => {
    assert.equal(parseCommand(line(good)).type, "arm");
    const bad: readonly unknown[] = [
      { ...good, more: 1 },
      { ...good, id: 0 },
      { ...good, id: 1.5 },
      { ...good, arming: { ...arming, phase: "any" } },
      { ...good, arming: { ...arming, faults: [] } },
      { ...good, arming: { ...arming, faults: [{ kind: "pass", ms: 1 }] } },
      {
        ...good,
        arming: {
          ...arming,
          faults: [{ kind: "delay", direction: "request", ms: { min: 2, max: 1 } }],
        },
      },
      { ...good, arming: { ...arming, seed: -1 } },
      { type: "other", id: 1 },
      [],
      null,
    ];
    for (const value of bad)
      assert.throws(() => parseCommand(line(value)), { code: "CONTROL_MALFORMED" });
    const twice = Buffer.from('{"type":"sync","id":1,"id":2}');
    assert.throws(() => parseCommand(twice), { code: "CONTROL_MALFORMED" });
  });

  it("whatever comes, it is a message or refused", () => {
    const near = fc.jsonValue().map((value) => line({ ...good, arming: value }));
    const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some));
    fc.assert(
      fc.property(fc.oneof(near, bytes), (some) => {
        for (const parse of [parseCommand, parseTold]) {
          try {
            parse(some);
          } catch (error) {
            assert(isDrydockError(error) && error.code === "CONTROL_MALFORMED");
          }
        }
      }),
      { numRuns: profile.fuzz * 5, seed: profile.seed },
    );
  });
});

describe("lines", () => {
  const read = (chunks: readonly Buffer[]) => {
    const stream = new PassThrough();
    const lines: string[] = [];
    let tooLong = 0;
    readLines(
      stream,
      (one) => lines.push(one.toString("latin1")),
      () => {
        tooLong += 1;
      },
    );
    for (const chunk of chunks) stream.emit("data", chunk);
    return { lines, tooLong };
  };

  it("are the same however they are cut", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), (whole, sizes) => {
        const chunks: Buffer[] = [];
        for (let at = 0; at < whole.length; ) {
          const size = sizes.next().value ?? 1;
          chunks.push(Buffer.from(whole.slice(at, at + size)));
          at += size;
        }
        assert.deepEqual(read(chunks).lines, whole.split("\n").slice(0, -1));
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("that are too long are the end of it", () => {
    const fits = Buffer.concat([Buffer.alloc(MAX_LINE_BYTES, 0x61), Buffer.from("\nb\n")]);
    assert.deepEqual([read([fits]).lines.length, read([fits]).tooLong], [2, 0]);
    const over = Buffer.concat([Buffer.from("b\n"), Buffer.alloc(MAX_LINE_BYTES + 1, 0x61)]);
    assert.deepEqual(read([over, Buffer.from("\nc\n")]), { lines: ["b"], tooLong: 1 });
  });
});
