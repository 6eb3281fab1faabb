import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { exchange, startBytes } from "../testing/bytes.js";
import { systemTimers } from "../timers.js";
import { MAX_CONNECTIONS, MAX_HELD_BYTES } from "./limits.js";
import type { Toxic } from "./link.js";
import { TcpProxy } from "./proxy.js";
import type { Effect } from "./toxics/index.js";

const lab = async (t: TestContext, onConnection: (socket: Socket) => void, seed = 1) => {
  const { port: upstream } = await startBytes(t, onConnection);
  const shared = { timers: systemTimers, held: { total: 0 }, connections: 0, seed };
  const proxy = new TcpProxy("test", shared);
  const loopback = { host: "127.0.0.1", port: 0 };
  const { port } = await proxy.start(loopback, { ...loopback, port: upstream });
  t.after(() => proxy.stop());
  return { proxy, port, shared };
};
const echo = (socket: Socket): void => {
  socket.pipe(socket);
};
const toxic = (effect: Effect, toxicity = 1): Toxic => ({ name: effect.type, toxicity, effect });
const latency = (ms: number): Effect => ({
  type: "latency",
  attributes: { latency: ms, jitter: 0 },
});

describe("a proxy of bytes", () => {
  for (const slow of [false, true])
    it(`carries both ways at once${slow ? ", held back as well" : ""}, and passes a half-close on`, async (t) => {
      const [asked, answered] = [randomBytes(9_000_000), randomBytes(8_000_000)];
      let got: Buffer = Buffer.alloc(0);
      const { proxy, port, shared } = await lab(t, (socket) => {
        const chunks: Buffer[] = [];
        socket.on("data", (chunk: Buffer) => chunks.push(chunk));
        socket.once("end", () => {
          got = Buffer.concat(chunks);
          socket.end(answered);
        });
      });
      if (slow)
        for (const direction of ["upstream", "downstream"] as const)
          proxy.add(direction, toxic(latency(5)));
      const received = await exchange(port, asked);
      assert(got.equals(asked) && received.bytes.equals(answered));
      assert.equal(received.end, "end");
      assert.equal(shared.held.total, 0);
    });

  it("keeps little for a reader that doesn't read, and delivers all of it later", async (t) => {
    const total = 64 * 1024 * 1024;
    let sent = (): number => 0;
    const { port } = await lab(t, (socket) => {
      const block = Buffer.alloc(256 * 1024, 7);
      let left = total;
      sent = () => socket.bytesWritten - socket.writableLength;
      const pump = (): void => {
        while (left > 0) {
          left -= block.length;
          if (!socket.write(block)) {
            socket.once("drain", pump);
            return;
          }
        }
        socket.end();
      };
      pump();
    });
    const before = process.memoryUsage().arrayBuffers;
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    t.after(() => client.destroy());
    await once(client, "connect");
    // Until nothing moves any more: kernel buffers are full, and the proxy has stopped reading.
    for (let last = -1; last !== sent() || last <= 0; ) {
      last = sent();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert(sent() < total / 2);
    assert(process.memoryUsage().arrayBuffers - before < 8 * 1024 * 1024);
    let got = 0;
    client.on("data", (chunk: Buffer) => {
      got += chunk.length;
    });
    await once(client, "end");
    assert.equal(got, total);
  });

  it("what toxics hold back is bounded, and comes when they are gone", async (t) => {
    let arrived = 0;
    const { proxy, port, shared } = await lab(t, (socket) => {
      socket.on("data", (chunk: Buffer) => {
        arrived += chunk.length;
      });
      socket.once("end", () => socket.end());
    });
    proxy.add("upstream", toxic({ type: "bandwidth", attributes: { rate: 0 } }));
    const total = 32 * 1024 * 1024;
    const done = exchange(port, Buffer.alloc(total, 1));
    for (let last = -1; last !== shared.held.total || last < MAX_HELD_BYTES; ) {
      last = shared.held.total;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert(shared.held.total < MAX_HELD_BYTES + 1024 * 1024);
    assert.equal(arrived, 0);
    proxy.remove("upstream", "bandwidth");
    assert.equal((await done).end, "end");
    assert.deepEqual([arrived, shared.held.total], [total, 0]);
  });

  it("passes a reset on as one, either way", async (t) => {
    const server = await lab(t, (socket) => {
      socket.once("data", () => socket.resetAndDestroy());
    });
    assert.equal(
      (await exchange(server.port, Buffer.from("x"), { half: false })).end,
      "ECONNRESET",
    );
    let accept: (socket: Socket) => void = () => undefined;
    const accepted = new Promise<Socket>((resolve) => {
      accept = resolve;
    });
    const { port } = await lab(t, accept);
    const client = connect(port, "127.0.0.1");
    t.after(() => client.destroy());
    client.write("x");
    const far = await accepted;
    await once(far, "data");
    const reset = once(far, "error");
    client.resetAndDestroy();
    assert.equal(Reflect.get((await reset)[0], "code"), "ECONNRESET");
  });

  it("closes the client when nobody listens at the upstream", async (t) => {
    const shared = { timers: systemTimers, held: { total: 0 }, connections: 0, seed: 1 };
    const proxy = new TcpProxy("test", shared);
    const loopback = { host: "127.0.0.1", port: 0 };
    const { port } = await proxy.start(loopback, { host: "127.0.0.1", port: 1 });
    t.after(() => proxy.stop());
    assert.notEqual((await exchange(port, null, { half: false })).end, "open");
    assert.equal(shared.connections, 0);
  });

  it("has room for so many connections and no more, and room again", async (t) => {
    const { port, shared } = await lab(t, echo);
    shared.connections = MAX_CONNECTIONS - 1;
    assert.equal(String((await exchange(port, Buffer.from("a"))).bytes), "a");
    shared.connections = MAX_CONNECTIONS;
    assert.equal((await exchange(port, Buffer.from("a"))).bytes.length, 0);
    shared.connections = MAX_CONNECTIONS - 1;
    assert.equal(String((await exchange(port, Buffer.from("a"))).bytes), "a");
  });

  it("ends every connection when it stops", async (t) => {
    const { proxy, port } = await lab(t, (socket) => socket.write("hello"));
    const client = connect(port, "127.0.0.1");
    client.on("error", () => undefined);
    t.after(() => client.destroy());
    assert.equal(String((await once(client, "data"))[0]), "hello");
    const closed = new Promise((resolve) => client.once("close", resolve));
    await proxy.stop();
    await closed;
  });
});

describe("a share of connections", () => {
  const affected = async (t: TestContext, toxicity: number, seed: number): Promise<string> => {
    const { proxy, port } = await lab(t, echo, seed);
    proxy.add("downstream", toxic({ type: "limit_data", attributes: { bytes: 0 } }, toxicity));
    let seen = "";
    for (let at = 0; at < 24; at += 1)
      seen += (await exchange(port, Buffer.from("x"))).bytes.length === 0 ? "1" : "0";
    return seen;
  };

  it("is nobody at 0, everybody at 1, and at a half the same ones for the same seed", async (t) => {
    assert.match(await affected(t, 0, 1), /^0+$/);
    assert.match(await affected(t, 1, 1), /^1+$/);
    const half = await affected(t, 0.5, 1);
    assert.match(half, /1.*0|0.*1/);
    assert.equal(await affected(t, 0.5, 1), half);
    assert.notEqual(await affected(t, 0.5, 2), half);
  });
});
