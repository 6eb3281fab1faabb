import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_HEADER_BYTES } from "../limits.js";
import { cuts, mutate, mutation, segments } from "../testing/bytes.js";
import {
  BEFORE,
  BINDING,
  DEADLINE,
  encodeGuest,
  encodeHost,
  GUEST_SESSION,
  HOST_SESSION,
} from "../testing/session.js";
import { WireError } from "../violation.js";
import { ControlDecoder } from "./decoder.js";
import { ControlEncoder } from "./encoder.js";
import type { Binding } from "./frame.js";
import { GUEST_MESSAGES, type GuestMessage } from "./guest-messages.js";
import { HOST_MESSAGES, type HostMessage } from "./host-messages.js";

const runs = { numRuns: profile.fuzz, seed: profile.seed };

const decodeGuest = (
  pieces: readonly Uint8Array[],
  binding: Binding | null = BINDING,
  nowNs: bigint | null = BEFORE,
) => {
  const decoder = new ControlDecoder<GuestMessage>(GUEST_MESSAGES, binding);
  const messages: GuestMessage[] = [];
  for (const piece of pieces) {
    messages.push(...decoder.push(piece, nowNs).frames.map((frame) => frame.message));
  }
  return { messages, violation: decoder.end()?.code ?? null };
};

describe("control frames", () => {
  it("arrive as they were sent, in both directions", () => {
    assert.deepEqual(decodeGuest(encodeGuest(GUEST_SESSION)), {
      messages: GUEST_SESSION,
      violation: null,
    });
    const guest = new ControlDecoder<HostMessage>(HOST_MESSAGES, null);
    const { frames, violation } = guest.push(Buffer.concat(encodeHost(HOST_SESSION)), null);
    assert.equal(violation, null);
    assert.deepEqual(
      frames.map((frame) => frame.message),
      HOST_SESSION,
    );
    assert.deepEqual(frames[0]?.binding, BINDING);
  });

  it("carry a payload back and forth only with ping and pong", () => {
    const encoder = new ControlEncoder<GuestMessage>(GUEST_MESSAGES, BINDING);
    const payload = Buffer.alloc(65536, 1);
    const { bytes } = encoder.encode({ type: "pong", nonce: "p" }, DEADLINE, payload);
    const decoder = new ControlDecoder<GuestMessage>(GUEST_MESSAGES, BINDING);
    assert.deepEqual(Buffer.from(decoder.push(bytes, BEFORE).frames[0]?.payload ?? []), payload);
    assert.throws(
      () => encoder.encode({ type: "channelOpen", name: "drydock.bulk.0" }, DEADLINE, payload),
      (error) => error instanceof WireError && error.code === "payload-length",
    );
  });

  for (const [what, other, code] of [
    ["another run", { ...BINDING, run: "run-2" }, "wrong-run"],
    ["a superseded lease", { ...BINDING, lease: "lease-0" }, "wrong-lease"],
    ["an older generation", { ...BINDING, generation: 2 }, "wrong-generation"],
  ] as const) {
    it(`of ${what} close the channel`, () => {
      const { messages, violation } = decodeGuest(encodeGuest(GUEST_SESSION, other));
      assert.deepEqual([messages, violation], [[], code]);
    });
  }

  it("can't be left out, repeated, swapped or late", () => {
    const frames = encodeGuest(GUEST_SESSION);
    const [first, second, third] = frames as [Buffer, Buffer, Buffer];
    assert.equal(decodeGuest([first, third]).violation, "out-of-order");
    assert.equal(decodeGuest([first, first]).violation, "out-of-order");
    assert.equal(decodeGuest([second, first]).violation, "out-of-order");
    const forked = encodeGuest([{ type: "pong", nonce: "x" }, ...GUEST_SESSION.slice(1)]);
    assert.equal(decodeGuest([first, forked[1] ?? first]).violation, "wrong-previous");
    assert.equal(decodeGuest(frames, BINDING, BigInt(DEADLINE)).violation, null);
    assert.equal(decodeGuest(frames, BINDING, BigInt(DEADLINE) + 1n).violation, "deadline-passed");
    assert.equal(decodeGuest([first, second.subarray(0, 20)]).violation, "truncated");
  });

  it("whose sender breaks a limit are refused before they are sent", () => {
    const encoder = new ControlEncoder<HostMessage>(HOST_MESSAGES, BINDING);
    const exec = HOST_SESSION.find((message) => message.type === "exec");
    assert.ok(exec?.type === "exec");
    const send = (change: Partial<typeof exec>) => () =>
      encoder.encode({ ...exec, ...change }, DEADLINE);
    assert.throws(send({ argv: ["a\0b"] }), { code: "header-field" });
    assert.throws(send({ argv: [] }), { code: "header-field" });
    assert.throws(send({ cwd: "work" }), { code: "header-field" });
    assert.throws(send({ env: Array(8).fill("x".repeat(60_000)) }), { code: "frame-oversize" });
    assert.equal(send({})().seq, 0);
  });

  it("give the same result in any segmentation", () => {
    const bytes = Buffer.concat(encodeGuest(GUEST_SESSION));
    fc.assert(
      fc.property(cuts, fc.option(mutation), (where, change) => {
        const sent = change === null ? bytes : mutate(bytes, change);
        assert.deepEqual(decodeGuest(segments(sent, where)), decodeGuest([sent]));
      }),
      runs,
    );
  });

  it("that were changed end in a violation, at the latest with the frame after", () => {
    const frames = encodeGuest(GUEST_SESSION);
    const bytes = Buffer.concat(frames);
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (changes) => {
        const sent = changes.reduce<Uint8Array>(mutate, bytes);
        const { messages, violation } = decodeGuest([sent]);
        // A changed text may still be one; the digest in the next frame says that it was changed.
        const trusted = Math.max(0, messages.length - 1);
        assert.deepEqual(messages.slice(0, trusted), GUEST_SESSION.slice(0, trusted));
        if (violation === null) {
          const length = frames.slice(0, trusted).reduce((sum, frame) => sum + frame.length, 0);
          assert.ok(bytes.subarray(0, length).equals(sent.subarray(0, length)));
        }
      }),
      runs,
    );
  });

  it("survive random bytes with bounded memory", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2048 }), (bytes) => {
        const { messages } = decodeGuest([bytes]);
        assert.equal(messages.length, 0);
      }),
      runs,
    );
    const decoder = new ControlDecoder<GuestMessage>(GUEST_MESSAGES, BINDING);
    const prefix = Buffer.alloc(4);
    prefix.writeUInt32BE(MAX_HEADER_BYTES, 0);
    decoder.push(prefix, null);
    const before = process.memoryUsage().arrayBuffers;
    // One byte at a time: neither quadratic in time nor a chunk list in memory.
    for (let sent = 0; sent < MAX_HEADER_BYTES - 1; sent += 1) decoder.push(Buffer.of(0x20), null);
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 * MAX_HEADER_BYTES);
    assert.equal(decoder.push(Buffer.of(0x20), null).violation?.code, "header-json");
  });
});

interface Vector {
  readonly name: string;
  readonly sender: "host" | "guest";
  readonly base64: string;
  readonly frames: number;
  readonly violation: string | null;
}

describe("control vectors", () => {
  const file = new URL("../../vectors/control.json", import.meta.url);
  const vectors: readonly Vector[] = JSON.parse(readFileSync(file, "utf8"));
  for (const vector of vectors) {
    it(vector.name, () => {
      const bodies = vector.sender === "host" ? HOST_MESSAGES : GUEST_MESSAGES;
      const decoder = new ControlDecoder(bodies, BINDING);
      const { frames } = decoder.push(Buffer.from(vector.base64, "base64"), BEFORE);
      const violation = decoder.end()?.code ?? null;
      assert.deepEqual([frames.length, violation], [vector.frames, vector.violation]);
    });
  }
});
