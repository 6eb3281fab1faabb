import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { describe, it } from "node:test";
import { endOf, openClient, openTunnel, readHead, startRecorder } from "../testing/broker-lab.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { REFUSED_AT_ONCE } from "./listen.js";
import { API, allOf, echo, HERE, lab, NETWORK } from "./testing/names.js";

enterPrivateNetwork(import.meta.url, NETWORK);

describe("a broker", () => {
  it("ends every tunnel at once when it is revoked, and takes no new one", async (t) => {
    const { port, broker, receipts } = await lab(t);
    await startRecorder(t, HERE, 9000);
    const tunnels = await Promise.all(
      Array.from({ length: 20 }, () => openTunnel(t, port, `${API}:9000`)),
    );
    const half = openClient(t, port, "CONNECT ");
    await once(half, "connect");
    const ends = [...tunnels.map(({ socket }) => socket), half].map(endOf);
    broker.revoke();
    assert.deepEqual(new Set(await Promise.all(ends)), new Set(["ECONNRESET"]));
    const late = await readHead(openClient(t, port));
    assert.equal(late.reason, "HALTED");
    const closed = receipts.filter((one) => one.kind === "closed" && one.reason === "REVOKED");
    assert.equal(closed.length, 20);
  });

  it("ends when a receipt can't be written, and grants nothing that isn't recorded", async (t) => {
    let room = 3;
    let broken: unknown = null;
    const { port } = await lab(t, {
      broker: {
        receipts: () => {
          room -= 1;
          if (room < 0) throw new Error("disk full");
        },
        onBroken: (error) => {
          broken = error;
        },
      },
    });
    const upstream = await startRecorder(t, HERE, 9000);
    const first = await openTunnel(t, port, `${API}:9000`);
    await openTunnel(t, port, `${API}:1`);
    await openTunnel(t, port, `${API}:2`);
    assert.equal(broken, null);
    const end = endOf(first.socket);
    const unwritten = openClient(
      t,
      port,
      `CONNECT ${API}:9000 HTTP/1.1\r\nHost: ${API}:9000\r\n\r\n`,
    );
    assert.equal((await readHead(unwritten)).status, 0);
    assert.match(String(broken), /disk full/);
    assert.equal(await end, "ECONNRESET");
    assert.equal(upstream.bytes.length, 0);
  });

  it("ends for good after its last decision, and says so in one receipt more", async (t) => {
    const { port, broker, receipts } = await lab(t, { broker: { maxDecisions: 3 } });
    const upstream = await startRecorder(t, HERE, 9000);
    const tunnel = await openTunnel(t, port, `${API}:9000`);
    for (const closed of [1, 2]) {
      const { answer } = await openTunnel(t, port, `${API}:${closed}`);
      assert.equal(answer.reason, "PORT_NOT_GRANTED");
    }
    const end = endOf(tunnel.socket);
    // The same request that was granted before.
    const beyond = await openTunnel(t, port, `${API}:9000`);
    assert.equal(beyond.answer.status, 0);
    assert.equal(await end, "ECONNRESET");
    for (let again = 0; again < 20; again += 1) {
      const { answer } = await openTunnel(t, port, `${API}:9000`);
      assert.equal(answer.reason, "HALTED");
    }
    await broker.close();
    assert.deepEqual(
      receipts.map((receipt) => ("reason" in receipt ? receipt.reason : receipt.kind)),
      ["GRANTED", "PORT_NOT_GRANTED", "PORT_NOT_GRANTED", "DECISIONS", "REVOKED", "shed"],
    );
    assert.equal(upstream.bytes.length, 0);
    assert.equal(broker.counters.granted, 1);
  });

  it("survives ten thousand connections, tells some why and all by count, and goes on", async (t) => {
    const limits = { maxConnections: 50 };
    const { port, broker, receipt, receipts } = await lab(t, { limits });
    await startRecorder(t, HERE, 9000, echo);
    const before = process.memoryUsage.rss();
    const seen = (): number => broker.counters.connections + broker.counters.shed;
    for (let batch = 1; batch <= 20; batch += 1) {
      const clients = Array.from({ length: 500 }, () => openClient(t, port));
      while (seen() < 500 * batch) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.ok(broker.counters.live <= 50 + REFUSED_AT_ONCE);
      for (const client of clients) client.destroy();
    }
    const grown = process.memoryUsage.rss() - before;
    assert.ok(grown < 200 * 1024 * 1024, `${grown} bytes`);
    assert.ok(broker.counters.shed > 5_000, `${broker.counters.shed} shed`);
    const shed = await receipt(({ kind }) => kind === "shed");
    assert(shed.kind === "shed" && shed.count > 0);
    assert.ok(receipts.length < 50, "a flood writes few receipts");
    while (broker.counters.live > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const { socket, answer } = await openTunnel(t, port, `${API}:9000`);
    assert.equal(answer.status, 200);
    socket.end("still here");
    assert.equal(await allOf(socket), "still here");
  });

  it("tells a client beyond the limit, and takes the next when one has gone", async (t) => {
    const { port } = await lab(t, { limits: { maxConnections: 2 } });
    await startRecorder(t, HERE, 9000, echo);
    const first = await openTunnel(t, port, `${API}:9000`);
    await openTunnel(t, port, `${API}:9000`);
    assert.equal((await readHead(openClient(t, port))).reason, "CAPACITY");
    first.socket.end();
    await allOf(first.socket);
    for (;;) {
      const { answer } = await openTunnel(t, port, `${API}:9000`);
      if (answer.status === 200) break;
      assert.equal(answer.reason, "CAPACITY");
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it("carries many tunnels with their own bytes", async (t) => {
    const { port, broker } = await lab(t);
    await startRecorder(t, HERE, 9000, echo);
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        const { socket } = await openTunnel(t, port, `${API}:9000`);
        const sent = randomBytes(100_000);
        socket.end(sent);
        const chunks: Buffer[] = [];
        for await (const chunk of socket) chunks.push(chunk);
        assert(Buffer.concat(chunks).equals(sent));
      }),
    );
    assert.equal(broker.counters.bytesUp, 3_200_000);
  });
});
