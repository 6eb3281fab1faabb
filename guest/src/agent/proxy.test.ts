import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { attachBulk, type BulkStream, MAX_STREAMS } from "@drydock/wire";
import { socketPair } from "../testing/socket-pair.js";
import { openEgressDoor } from "./proxy.js";

interface Door {
  readonly streams: BulkStream[];
  readonly port: number;
  dial(): Promise<Socket>;
  /** Resolves when so many streams were opened. */
  opened(count: number): Promise<void>;
  hangUp(): void;
}

/** The guest's door and, in the broker's place, a list of streams. */
const door = async (test: TestContext): Promise<Door> => {
  const [host, guest] = await socketPair(test);
  const streams: BulkStream[] = [];
  const watchers = new Set<() => void>();
  attachBulk(host, {
    role: "acceptor",
    onClose: () => undefined,
    onStream: (stream) => {
      streams.push(stream);
      for (const watch of watchers) watch();
    },
  });
  let close = (): void => undefined;
  const channel = attachBulk(guest, { role: "opener", onClose: () => close() });
  const opened = await openEgressDoor(channel, 0);
  close = opened.close;
  test.after(() => opened.close());
  return {
    streams,
    port: opened.port,
    dial: async () => {
      const socket = connect({ port: opened.port, host: "127.0.0.1", allowHalfOpen: true });
      test.after(() => socket.destroy());
      await once(socket, "connect");
      return socket;
    },
    opened: (count) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (streams.length < count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
    hangUp: () => host.destroy(),
  };
};

/** Not by iterating, which would end the other direction too. */
const allOf = async (stream: Duplex): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(stream, "end");
  return Buffer.concat(chunks);
};

const failureOf = async (socket: Socket): Promise<string> => {
  socket.resume();
  const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
  return error.code ?? "";
};

describe("the door to the broker", () => {
  it("relays a connection both ways, each end by itself", async (test) => {
    const { dial, opened, streams } = await door(test);
    const socket = await dial();
    await opened(1);
    const up = randomBytes(700_000);
    const down = randomBytes(900_000);
    socket.end(up);
    const [stream] = streams;
    assert.ok(stream !== undefined);
    assert.ok((await allOf(stream)).equals(up));
    // The client has ended its direction; the other one still works.
    stream.end(down);
    assert.ok((await allOf(socket)).equals(down));
  });

  it("passes resets on in both directions", async (test) => {
    const { dial, opened, streams } = await door(test);
    const first = await dial();
    await opened(1);
    streams[0]?.destroy();
    assert.equal(await failureOf(first), "ECONNRESET");
    const second = await dial();
    await opened(2);
    const broken = new Promise((resolve) => streams[1]?.once("close", resolve));
    second.resetAndDestroy();
    await broken;
    assert.equal(streams[1]?.readableEnded, false);
  });

  it("lets connections beyond the channel's streams wait for their turn", async (test) => {
    const { dial, opened, streams } = await door(test);
    const sockets = await Promise.all(Array.from({ length: MAX_STREAMS + 5 }, dial));
    await opened(MAX_STREAMS);
    assert.equal(streams.length, MAX_STREAMS);
    for (const stream of streams.slice(0, 5)) {
      stream.resume();
      stream.end();
    }
    for (const socket of sockets) {
      socket.resume();
      socket.end();
    }
    await opened(MAX_STREAMS + 5);
  });

  it("shuts with its channel: connections are reset, and new ones refused", async (test) => {
    const { dial, opened, hangUp, port } = await door(test);
    const socket = await dial();
    await opened(1);
    hangUp();
    assert.equal(await failureOf(socket), "ECONNRESET");
    const late = connect({ port, host: "127.0.0.1" });
    assert.equal(await failureOf(late), "ECONNREFUSED");
  });
});
