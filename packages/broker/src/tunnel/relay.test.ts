import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { systemTimers } from "../system-timers.js";
import type { Gate, TunnelLimits, TunnelSummary } from "./model.js";
import { type Relay, startRelay } from "./relay.js";
import { resetStream } from "./reset.js";

const LIMITS: TunnelLimits = {
  idleTimeoutMs: 10_000,
  lifetimeMs: 10_000,
  maxBytesUp: 1e9,
  maxBytesDown: 1e9,
};
const BUFFER_BYTES = 64 * 1024;

/** Two connected sockets: the test's end, and the relay's. */
const pair = async (t: TestContext): Promise<readonly [Socket, Socket]> => {
  const server = createServer({ allowHalfOpen: true, highWaterMark: BUFFER_BYTES });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  const mine = connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
  const [theirs] = await once(server, "connection");
  server.close();
  for (const socket of [mine, theirs]) {
    socket.on("error", () => undefined);
    t.after(() => socket.destroy());
  }
  theirs.pause();
  return [mine, theirs];
};

interface Lab {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly relay: Relay;
  readonly ended: Promise<TunnelSummary>;
}

const lab = async (
  t: TestContext,
  limits: Partial<TunnelLimits> = {},
  gate: Gate | null = null,
): Promise<Lab> => {
  const [client, near] = await pair(t);
  const [upstream, far] = await pair(t);
  let resolve: (summary: TunnelSummary) => void = () => undefined;
  const ended = new Promise<TunnelSummary>((done) => {
    resolve = done;
  });
  const relay = startRelay({
    client: near,
    upstream: far,
    gate,
    limits: { ...LIMITS, ...limits },
    timers: systemTimers,
    openedAt: systemTimers.now(),
    onEnd: (summary) => {
      if (summary.reason !== "CLOSED") resetStream(near);
      resolve(summary);
    },
  });
  return { client, upstream, relay, ended };
};

const allOf = async (socket: Socket): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const resetOf = async (socket: Socket): Promise<string> => {
  socket.resume();
  const [error] = await once(socket, "error");
  return error.code;
};

describe("a tunnel", () => {
  it("carries both ways at once and counts what it carried", async (t) => {
    const { client, upstream, ended } = await lab(t);
    const [asked, answered] = [randomBytes(3_000_000), randomBytes(5_000_000)];
    client.end(asked);
    upstream.end(answered);
    const [got, gotBack] = await Promise.all([allOf(upstream), allOf(client)]);
    assert(got.equals(asked) && gotBack.equals(answered));
    assert.deepEqual(await ended, { reason: "CLOSED", up: 3_000_000, down: 5_000_000 });
  });

  it("passes a half-close on and stays open the other way", async (t) => {
    const { client, upstream, ended } = await lab(t);
    client.end("question");
    assert.equal(String(await allOf(upstream)), "question");
    upstream.write("first ");
    await once(client, "readable");
    upstream.end("last");
    assert.equal(String(await allOf(client)), "first last");
    assert.equal((await ended).reason, "CLOSED");
  });

  it("keeps little for a reader that doesn't read, and delivers all of it later", async (t) => {
    const { client, upstream, ended } = await lab(t);
    const total = 64 * 1024 * 1024;
    const block = Buffer.alloc(256 * 1024, 7);
    const before = process.memoryUsage().arrayBuffers;
    let sent = 0;
    const pump = (): void => {
      while (sent < total) {
        sent += block.length;
        if (!upstream.write(block)) return;
      }
      upstream.end();
    };
    upstream.on("drain", pump);
    pump();
    // Until nothing moves any more: kernel buffers are full, and the relay has stopped reading.
    for (let last = -1; last !== upstream.bytesWritten - upstream.writableLength; ) {
      last = upstream.bytesWritten - upstream.writableLength;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(sent < total, "a reader that doesn't read stops the sender");
    const grown = process.memoryUsage().arrayBuffers - before;
    assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes kept`);
    let received = 0;
    client.on("data", (chunk) => {
      received += chunk.length;
    });
    client.on("end", () => client.end());
    const closed = once(client, "close");
    assert.deepEqual(await ended, { reason: "CLOSED", up: 0, down: total });
    await closed;
    assert.equal(received, total);
  });

  it("resets both sides when a limit is passed, and forwards nothing beyond it", async (t) => {
    for (const [limits, reason] of [
      [{ maxBytesUp: 1000 }, "BYTES_UP"],
      [{ maxBytesUp: 1001 }, null],
    ] as const) {
      const { client, upstream, ended, relay } = await lab(t, limits);
      client.write(Buffer.alloc(1000));
      const got = await once(upstream, "data");
      assert.equal(got[0].length, 1000);
      client.write(Buffer.alloc(1));
      if (reason === null) {
        await once(upstream, "data");
        relay.end("REVOKED");
      }
      assert.equal(await resetOf(client), "ECONNRESET");
      assert.deepEqual(await ended, {
        reason: reason ?? "REVOKED",
        up: reason === null ? 1001 : 1000,
        down: 0,
      });
    }
  });

  it("is idle only when neither way moves", async (t) => {
    const { client, upstream, ended } = await lab(t, { idleTimeoutMs: 1_000 });
    upstream.on("data", () => undefined);
    const started = Date.now();
    const timer = setInterval(() => client.write("."), 50);
    setTimeout(() => clearInterval(timer), 1_500);
    const { reason, down } = await ended;
    assert.equal(reason, "IDLE");
    assert.equal(down, 0);
    assert.ok(Date.now() - started >= 2_000);
  });

  it("ends with its lifetime, however busy it is", async (t) => {
    const { client, upstream, ended } = await lab(t, { lifetimeMs: 300 });
    upstream.on("data", () => undefined);
    const timer = setInterval(() => client.write("."), 10);
    t.after(() => clearInterval(timer));
    assert.equal((await ended).reason, "LIFETIME");
  });

  it("passes a reset on as a reset", async (t) => {
    const first = await lab(t);
    first.client.resetAndDestroy();
    assert.equal(await resetOf(first.upstream), "ECONNRESET");
    assert.equal((await first.ended).reason, "CLIENT_RESET");
    const second = await lab(t);
    second.upstream.resetAndDestroy();
    assert.equal(await resetOf(second.client), "ECONNRESET");
    assert.equal((await second.ended).reason, "UPSTREAM_RESET");
    // After a half-close of the other side too, which is no end.
    const third = await lab(t);
    third.client.end("x");
    await once(third.upstream, "data");
    third.upstream.resetAndDestroy();
    assert.equal(await resetOf(third.client), "ECONNRESET");
    assert.equal((await third.ended).reason, "UPSTREAM_RESET");
  });

  it("is cut from outside at once, with a half-close under way as well", async (t) => {
    const { client, upstream, relay, ended } = await lab(t);
    client.pause();
    upstream.end(Buffer.alloc(20_000_000));
    await new Promise((resolve) => setTimeout(resolve, 200));
    relay.end("REVOKED");
    assert.equal((await ended).reason, "REVOKED");
    const got = await allOf(client).then(
      (bytes) => bytes.length,
      () => -1,
    );
    assert.ok(got < 20_000_000);
  });

  it("gives way to its gate: what the gate holds isn't forwarded, and what it refuses cuts", async (t) => {
    const hold: Gate = {
      start: () => ({
        kind: "pass",
        toUpstream: [Buffer.from("hello")],
        toClient: [],
        read: "both",
      }),
      fromClient: (bytes) =>
        String(bytes) === "open"
          ? { kind: "open", toUpstream: [Buffer.from(" world")], toClient: [] }
          : { kind: "refused", reason: "SNI_DIFFERENT" },
      fromUpstream: () => ({ kind: "refused", reason: "HELLO_NOT_TLS" }),
      ended: () => null,
    };
    const opened = await lab(t, {}, hold);
    opened.client.write("open");
    opened.client.once("data", () => opened.client.end("!"));
    let got = "";
    opened.upstream.on("data", (bytes) => {
      got += bytes;
      // Before the gate is open, what the upstream says would be refused.
      if (got === "hello world") opened.upstream.write("now");
    });
    await once(opened.upstream, "end");
    assert.equal(got, "hello world!");
    const cut = await lab(t, {}, hold);
    cut.client.write("other");
    assert.equal(await resetOf(cut.upstream), "ECONNRESET");
    assert.deepEqual(await cut.ended, { reason: "SNI_DIFFERENT", up: 5, down: 0 });
  });
});
