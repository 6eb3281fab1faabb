import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type Duplex, finished } from "node:stream";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { compileCanaries } from "../canary/index.js";
import { tap, watchConnection } from "./index.js";

/** Without its guard a connection stays open, and the test has to fail, not to hang. */
const WAIT_MS = 8_000;

interface Ends {
  readonly near: Socket;
  readonly far: Socket;
}

const connectEnds = async (t: { after(fn: () => void): void }): Promise<Ends> => {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const near = connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
  const [far] = (await once(server, "connection")) as [Socket];
  for (const socket of [near, far]) socket.on("error", () => undefined);
  t.after(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
};

const textOf = (stream: Duplex): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
    });
    stream.once("end", () => resolve(text));
  });

describe("a tapped connection", () => {
  test("gives back what was read, then the rest, and closes each way by itself", async (t) => {
    const { near, far } = await connectEnds(t);
    const counts = { up: 0, down: 0 };
    const tapped = tap(far, Buffer.from("first "), (direction, bytes) => {
      counts[direction] += bytes.length;
      return true;
    });
    near.end("second");
    assert.equal(await textOf(tapped), "first second");
    tapped.end("answer");
    assert.equal(await textOf(near), "answer");
    assert.deepEqual(counts, { up: 12, down: 6 });
  });

  test("holds a writer up while its reader is slow", async (t) => {
    const { near, far } = await connectEnds(t);
    const tapped = tap(far, new Uint8Array(), () => true);
    near.pause();
    const block = Buffer.alloc(1 << 20);
    let written = 0;
    const fill = (): void => {
      while (written < 64) {
        written += 1;
        if (!tapped.write(block)) return void tapped.once("drain", fill);
      }
      tapped.end();
    };
    fill();
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.ok(written < 32, `${written} MiB were taken with nobody reading`);
    let received = 0;
    for await (const chunk of near) received += (chunk as Uint8Array).length;
    assert.equal(received, 64 << 20);
  });

  test("ends when the other side breaks off", async (t) => {
    const { near, far } = await connectEnds(t);
    const tapped = tap(far, new Uint8Array(), () => true);
    tapped.on("error", () => undefined);
    tapped.resume();
    near.resetAndDestroy();
    await assert.rejects(promisify(finished)(tapped));
    assert.ok(tapped.destroyed);
  });
});

describe("a watched connection", () => {
  const canaries = compileCanaries([{ id: "key", value: "AKIAQYLPMN5HHHFPZAM2" }]);
  for (const direction of ["up", "down"] as const) {
    test(`is cut at the first canary ${direction}, and passes other values`, {
      timeout: WAIT_MS,
    }, async (t) => {
      const { near, far } = await connectEnds(t);
      const seen: string[] = [];
      const watched = watchConnection(far, canaries, ({ canary }, way) => seen.push(canary, way));
      watched.on("error", () => undefined);
      const [from, to] = direction === "up" ? [near, watched] : [watched, near];
      from.write("AKIAQYLPMN5HHHFPZAM3");
      const [chunk] = await once(to, "data");
      assert.equal(`${chunk}`, "AKIAQYLPMN5HHHFPZAM3");
      const gone = new Promise((resolve) => near.once("close", resolve));
      let after = "";
      to.on("data", (bytes) => {
        after += bytes;
      });
      from.write("key=AKIAQYLPMN5HHHFPZAM2");
      await gone;
      assert.deepEqual(seen, ["key", direction]);
      assert.equal(after, "");
    });
  }
});
