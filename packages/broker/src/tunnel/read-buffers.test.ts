import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { DEFAULT_LIMITS } from "../policy/index.js";
import { systemTimers } from "../system-timers.js";
import { giveBack, readBuffersOf } from "./read-buffers.js";
import { startRelay } from "./relay.js";

const MIB = 1024 ** 2;
const SENT_BYTES = 12 * MIB;

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const listening = async (t: TestContext, serve: (socket: Socket) => void): Promise<number> => {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** As the dialler makes one. */
const dialled = async (port: number): Promise<Socket> => {
  const { onread, release } = readBuffersOf(() => socket);
  const options = { allowHalfOpen: true, onread };
  const socket: Socket = new Socket(options);
  socket.once("close", release);
  socket.connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
};

/** What a client gets that stops reading now and then for as long as `pauseMs`. */
const received = async (socket: Socket, pauseMs: number): Promise<string> => {
  const hash = createHash("sha256");
  let chunks = 0;
  socket.on("data", (chunk: Buffer) => {
    hash.update(chunk);
    chunks += 1;
    if (pauseMs === 0 || chunks % 8 > 0) return;
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs);
  });
  await once(socket, "end");
  socket.end();
  return hash.digest("hex");
};

describe("tunnels whose sockets share their buffers", () => {
  it("carry every byte of their own, however slowly it is read", async (t) => {
    const contents = Array.from({ length: 6 }, () => randomBytes(SENT_BYTES));
    const origin = await listening(t, (socket) => {
      const content = contents[connections];
      connections += 1;
      assert(content !== undefined);
      socket.resume();
      // In pieces of many sizes, so that buffers grow and shrink.
      for (let at = 0, size = 100; at < content.length; at += size, size = (size * 3) % 300_007) {
        socket.write(content.subarray(at, at + size));
        size = Math.max(size, 1);
      }
      socket.end();
    });
    let connections = 0;
    const accepted: Socket[] = [];
    const front = await listening(t, (socket) => accepted.push(socket));
    const clients: Promise<string>[] = [];
    for (let n = 0; n < contents.length; n += 1) {
      const upstream = await dialled(origin);
      const client = connect({ port: front, host: "127.0.0.1", allowHalfOpen: true });
      await once(client, "connect");
      while (accepted.length <= n) await new Promise((resolve) => setImmediate(resolve));
      const near = accepted[n];
      assert(near !== undefined);
      near.on("error", () => undefined);
      startRelay({
        client: near,
        upstream,
        gate: null,
        limits: DEFAULT_LIMITS,
        timers: systemTimers,
        openedAt: systemTimers.now(),
        onEnd: () => near.destroy(),
      });
      clients.push(received(client, n % 3));
    }
    assert.deepEqual(await Promise.all(clients), contents.map(digestOf));
  });
});

describe("a buffer", () => {
  const chunkOf = (length: (size: number) => number, reads: number) => {
    const chunks: Buffer[] = [];
    const { onread, release } = readBuffersOf(() => ({ push: (chunk) => chunks.push(chunk) > 0 }));
    const sizes = Array.from({ length: reads }, () => {
      const buffer = onread.buffer instanceof Function ? onread.buffer() : onread.buffer;
      onread.callback(length(buffer.length), buffer);
      return buffer.length;
    });
    return { chunks, sizes, release };
  };

  it("grows while reads fill it", () => {
    const { sizes } = chunkOf((size) => size, 4);
    assert.deepEqual(sizes, [1_024, 65_536, 262_144, 262_144]);
    assert.deepEqual(
      chunkOf((size) => Math.min(size, 1_024), 5).sizes,
      [1_024, 65_536, 1_024, 65_536, 1_024],
    );
  });

  it("is used again once it was given back, by one at a time", () => {
    const first = chunkOf((size) => size, 2).chunks[1];
    assert(first !== undefined);
    const before = chunkOf((size) => size, 2).chunks[1];
    assert.notEqual(before?.buffer, first.buffer);
    giveBack(first);
    giveBack(first);
    giveBack(Buffer.alloc(65_536));
    const after = [0, 1].map(() => chunkOf((size) => size, 2).chunks[1]?.buffer);
    assert.equal(after.filter((buffer) => buffer === first.buffer).length, 1);
  });
});
