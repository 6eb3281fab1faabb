import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { finished, pipeline } from "node:stream/promises";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_UNSENT_BYTES, STREAM_CREDIT_BYTES } from "../limits.js";
import { mutate, mutation } from "../testing/bytes.js";
import { pipePair } from "../testing/pipe.js";
import type { CloseReason } from "../violation.js";
import { attachBulk, type BulkStream } from "./attach.js";
import { dataHeader, finFrame, rstFrame } from "./frame.js";

const channel = () => {
  const [hostPipe, guestPipe] = pipePair();
  let closeHost: (reason: CloseReason) => void = () => undefined;
  const hostClosed = new Promise<CloseReason>((resolve) => {
    closeHost = resolve;
  });
  const guestReasons: CloseReason[] = [];
  const host = attachBulk(hostPipe, { role: "opener", onClose: (reason) => closeHost(reason) });
  const guest = attachBulk(guestPipe, {
    role: "acceptor",
    onClose: (reason) => guestReasons.push(reason),
  });
  return { host, guest, hostPipe, guestPipe, hostClosed, guestReasons };
};

/** Only the host's side; the test plays the guest byte by byte. */
const hostOnly = () => {
  const [hostPipe, guestPipe] = pipePair();
  guestPipe.resume();
  let close: (reason: CloseReason) => void = () => undefined;
  const closed = new Promise<CloseReason>((resolve) => {
    close = resolve;
  });
  const host = attachBulk(hostPipe, { role: "opener", onClose: (reason) => close(reason) });
  return { host, guestPipe, closed };
};

const allOf = async (stream: BulkStream): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Also when an error comes first, which `once` would throw. */
const closeOf = (stream: BulkStream): Promise<void> =>
  new Promise((resolve) => stream.once("close", resolve));

const codeOf = (reason: CloseReason): string =>
  reason.kind === "violation" ? reason.violation.code : reason.kind;

describe("a bulk channel", () => {
  it("carries streams both ways at once and counts the same bytes on both sides", async () => {
    const { host, guest, hostClosed } = channel();
    const sent = [1, 2, 3].map((n) => randomBytes(n * 400_000));
    const received = await Promise.all(
      sent.map(async (bytes) => {
        const near = host.open();
        const far = await guest.accept(near.id);
        const echoed = pipeline(far, far);
        near.end(bytes);
        const back = await allOf(near);
        await echoed;
        return createHash("sha256").update(back).digest("hex");
      }),
    );
    assert.deepEqual(
      received,
      sent.map((bytes) => createHash("sha256").update(bytes).digest("hex")),
    );
    host.end();
    guest.end();
    assert.equal((await hostClosed).kind, "end");
    assert.equal(host.counters.bytesOut, guest.counters.bytesIn);
    assert.equal(host.counters.bytesIn, guest.counters.bytesOut);
    assert.ok(host.counters.bytesOut > 2_400_000);
  });

  it("stops a sender whose reader doesn't read, without stopping the other streams", async () => {
    const { host, guest } = channel();
    const [slow, quick] = [host.open(), host.open()];
    const slowFar = await guest.accept(slow.id);
    const quickFar = await guest.accept(quick.id);
    slowFar.write(Buffer.alloc(4 * STREAM_CREDIT_BYTES));
    quickFar.end(Buffer.alloc(4 * STREAM_CREDIT_BYTES));
    quick.end();
    assert.equal((await allOf(quick)).length, 4 * STREAM_CREDIT_BYTES);
    const received = host.counters.bytesIn - 4 * STREAM_CREDIT_BYTES;
    assert.ok(received <= STREAM_CREDIT_BYTES + 1024, `${received} bytes for an unread stream`);
    // The control: once it is read, the rest arrives.
    slowFar.end();
    slow.end();
    assert.equal((await allOf(slow)).length, 4 * STREAM_CREDIT_BYTES);
  });

  it("resets a stream that is destroyed and keeps the others", async () => {
    const { host, guest } = channel();
    const [cut, kept] = [host.open(), host.open()];
    const cutFar = await guest.accept(cut.id);
    const keptFar = await guest.accept(kept.id);
    cutFar.write(Buffer.alloc(STREAM_CREDIT_BYTES * 2));
    cut.destroy();
    await closeOf(cutFar);
    keptFar.end("still here");
    kept.end();
    assert.equal(String(await allOf(kept)), "still here");
  });

  it("delivers what arrived before the peer was lost, then the loss", async () => {
    const { host, guest, guestPipe } = channel();
    const near = host.open();
    const far = await guest.accept(near.id);
    far.write("last words");
    await once(near, "readable");
    guestPipe.destroy();
    const chunks: Buffer[] = [];
    await assert.rejects(async () => {
      for await (const chunk of near) chunks.push(chunk);
    });
    assert.equal(String(Buffer.concat(chunks)), "last words");
  });

  it("keeps memory flat when a guest sends single bytes", async () => {
    const { host, guestPipe, closed } = hostOnly();
    const stream = host.open();
    const one = Buffer.concat([dataHeader(stream.id, 1), Buffer.of(1)]);
    const before = process.memoryUsage();
    for (let sent = 0; sent < STREAM_CREDIT_BYTES; sent += 1024) {
      if (!guestPipe.write(Buffer.concat(Array(1024).fill(one)))) await once(guestPipe, "drain");
    }
    guestPipe.write(one);
    assert.equal(codeOf(await closed), "credit-exceeded");
    const after = process.memoryUsage();
    const grown = after.arrayBuffers - before.arrayBuffers;
    assert.ok(grown < 16 * STREAM_CREDIT_BYTES, `${grown} bytes for ${STREAM_CREDIT_BYTES}`);
  });

  it("closes when a guest makes the host answer and doesn't read", async () => {
    const [hostPipe, guestPipe] = pipePair();
    let reason: CloseReason | null = null;
    const host = attachBulk(hostPipe, {
      role: "opener",
      onClose: (found) => {
        reason = found;
      },
    });
    const streams = Array.from({ length: 64 }, () => host.open());
    for (const stream of streams) stream.write(Buffer.alloc(MAX_UNSENT_BYTES));
    // The guest never reads: what waits stays bounded, whatever the streams still want to send.
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(hostPipe.writableLength < MAX_UNSENT_BYTES);
    assert.equal(reason, null);
    guestPipe.destroy();
    await Promise.allSettled(streams.map((stream) => finished(stream)));
  });

  it("survives a reset of a stream that nobody listens to", async () => {
    const { host, guestPipe } = hostOnly();
    const stream = host.open();
    guestPipe.write(rstFrame(stream.id, 1));
    await closeOf(stream);
    assert.equal(stream.destroyed, true);
  });

  it("ends a fuzzed session cleanly or with a violation", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { maxLength: 3 }), async (changes) => {
        const { host, guestPipe, closed } = hostOnly();
        const [out, err] = [host.open(), host.open()];
        for (const stream of [out, err]) {
          stream.end();
          stream.resume();
        }
        const session = Buffer.concat([
          dataHeader(1, 300),
          Buffer.alloc(300, 1),
          dataHeader(2, 20),
          Buffer.alloc(20, 2),
          finFrame(1),
          finFrame(2),
        ]);
        guestPipe.end(Buffer.from(changes.reduce<Uint8Array>(mutate, session)));
        const reason = await closed;
        assert.ok(reason.kind === "end" || reason.kind === "violation");
        if (changes.length === 0) assert.equal(reason.kind, "end");
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
