import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_STREAMS, STREAM_CREDIT_BYTES } from "../limits.js";
import { cuts, mutate, mutation, segments } from "../testing/bytes.js";
import { dataHeader, finFrame, openFrame, rstFrame, windowFrame } from "./frame.js";
import { type BulkEvent, BulkMux, type BulkRole } from "./mux.js";

const runs = { numRuns: profile.fuzz, seed: profile.seed };

/** Events as text, pieces of data next to each other joined. */
const summary = (events: readonly BulkEvent[]): readonly string[] => {
  const lines: string[] = [];
  let joined = { stream: 0, length: 0 };
  for (const event of events) {
    if (event.kind === "data") {
      if (joined.stream === event.stream) lines.pop();
      else joined = { stream: event.stream, length: 0 };
      joined = { stream: event.stream, length: joined.length + event.bytes.length };
      lines.push(`data:${joined.stream}:${joined.length}`);
      continue;
    }
    joined = { stream: 0, length: 0 };
    const detail =
      event.kind === "window"
        ? `:${event.credit}`
        : event.kind === "rst" && event.answer
          ? ":answer"
          : "";
    lines.push(`${event.kind}:${event.stream}${detail}`);
  }
  return lines;
};

const read = (role: BulkRole, opened: number, pieces: readonly Uint8Array[]) => {
  const mux = new BulkMux(role);
  for (let stream = 0; stream < opened; stream += 1) mux.open();
  const events = pieces.flatMap((piece) => mux.push(piece));
  return { events: summary(events), violation: mux.end()?.code ?? null };
};

const data = (stream: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([dataHeader(stream, bytes.length), bytes]);

interface Vector {
  readonly name: string;
  readonly role: BulkRole;
  readonly opened: number;
  readonly base64: string;
  readonly events: readonly string[];
  readonly violation: string | null;
}

describe("bulk vectors", () => {
  const file = new URL("../../vectors/bulk.json", import.meta.url);
  const vectors: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));
  for (const { name, role, opened, base64, events, violation } of vectors) {
    it(name, () => {
      const found = read(role, opened, [Buffer.from(base64, "base64")]);
      assert.deepEqual(found, { events, violation });
    });
  }
});

describe("a bulk channel's rules", () => {
  it("give the same events in any segmentation, also of a changed stream", () => {
    const frame = fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: 4 }), fc.uint8Array({ minLength: 1, maxLength: 200 }))
        .map(([stream, bytes]) => data(stream, bytes)),
      fc.integer({ min: 1, max: 4 }).map(finFrame),
      fc.integer({ min: 1, max: 4 }).map((stream) => rstFrame(stream, 1)),
      fc.integer({ min: 1, max: 4 }).map((stream) => windowFrame(stream, 5)),
    );
    fc.assert(
      fc.property(fc.array(frame), fc.option(mutation), cuts, (frames, change, where) => {
        const bytes = Buffer.concat([1, 2, 3, 4].map(openFrame).concat(frames));
        const sent = change === null ? bytes : mutate(bytes, change);
        assert.deepEqual(read("acceptor", 0, segments(sent, where)), read("acceptor", 0, [sent]));
      }),
      runs,
    );
  });

  it("survive random bytes without opening anything", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4096 }), (bytes) => {
        const mux = new BulkMux("opener");
        mux.open();
        mux.push(bytes);
        assert.ok(mux.openStreams <= 1);
      }),
      runs,
    );
  });

  it("discard what was under way after a reset, within the credit", () => {
    const mux = new BulkMux("opener");
    const stream = mux.open();
    mux.send(stream, { kind: "sendRst" });
    assert.deepEqual(mux.push(data(stream, Buffer.alloc(1000))), []);
    assert.equal(mux.violation, null);
    assert.deepEqual(mux.push(rstFrame(stream, 1)), [{ kind: "rst", stream, answer: false }]);
    assert.equal(mux.openStreams, 0);
    mux.push(data(stream, Buffer.alloc(1)));
    assert.equal(mux.end()?.code, "after-fin");
  });

  it("hold for the own side too", () => {
    const mux = new BulkMux("opener");
    const stream = mux.open();
    assert.throws(() => mux.send(stream, { kind: "sendData", length: STREAM_CREDIT_BYTES + 1 }), {
      code: "credit-exceeded",
    });
    mux.send(stream, { kind: "sendFin" });
    assert.throws(() => mux.send(stream, { kind: "sendData", length: 1 }), { code: "after-fin" });
    for (let open = 1; open < MAX_STREAMS; open += 1) mux.open();
    assert.throws(() => mux.open(), { code: "too-many-streams" });
    assert.throws(() => new BulkMux("acceptor").open(), { code: "open-refused" });
  });

  /** Two rule-abiding sides over a lossless pipe, driven in a random order. */
  it("never accuse a side that keeps them", () => {
    const action = fc.record({
      side: fc.integer({ min: 0, max: 1 }),
      stream: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom("data", "fin", "rst", "grant", "deliver"),
      size: fc.integer({ min: 1, max: 65536 }),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const muxes = [new BulkMux("opener"), new BulkMux("acceptor")] as const;
        const wires: [Buffer[], Buffer[]] = [[], []];
        const consumed = [new Map<number, number>(), new Map<number, number>()] as const;
        const send = (side: 0 | 1, bytes: Buffer) => wires[side === 0 ? 1 : 0].push(bytes);
        const deliver = (side: 0 | 1) => {
          for (const event of muxes[side].push(wires[side].shift() ?? Buffer.alloc(0))) {
            if (event.kind === "data") {
              const before = consumed[side].get(event.stream) ?? 0;
              consumed[side].set(event.stream, before + event.bytes.length);
            }
            if (event.kind === "rst" && event.answer) send(side, rstFrame(event.stream, 1));
          }
          assert.equal(muxes[side].violation, null);
        };
        for (const stream of [1, 2, 3]) {
          assert.equal(muxes[0].open(), stream);
          send(0, openFrame(stream));
          deliver(1);
        }
        const attempt = (act: () => void) => {
          // What the own side may not do is refused before it is sent; that is not under test.
          assert.doesNotThrow(() => {
            try {
              act();
            } catch (error) {
              if ((error as { code?: string }).code !== "after-fin") throw error;
            }
          });
        };
        for (const { side: chosen, stream, kind, size } of actions) {
          const side = chosen === 0 ? 0 : 1;
          const mux = muxes[side];
          attempt(() => {
            if (kind === "deliver") return deliver(side);
            if (kind === "fin" && mux.send(stream, { kind: "sendFin" }))
              send(side, finFrame(stream));
            if (kind === "rst" && mux.send(stream, { kind: "sendRst" })) {
              send(side, rstFrame(stream, 1));
            }
            const length = Math.min(size, mux.sendCredit(stream));
            if (kind === "data" && length > 0 && mux.send(stream, { kind: "sendData", length })) {
              send(side, data(stream, Buffer.alloc(length)));
            }
            const credit = consumed[side].get(stream) ?? 0;
            if (kind === "grant" && credit > 0 && mux.send(stream, { kind: "grant", credit })) {
              consumed[side].set(stream, 0);
              send(side, windowFrame(stream, credit));
            }
          });
        }
        while (wires[0].length + wires[1].length > 0) {
          deliver(0);
          deliver(1);
        }
      }),
      runs,
    );
  });
});
