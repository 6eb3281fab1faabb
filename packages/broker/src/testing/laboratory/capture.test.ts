import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { test } from "node:test";
import { enterPrivateNetwork } from "../private-network.js";
import { startCapture } from "./capture.js";

enterPrivateNetwork(import.meta.url, { addresses: [], everyAddress: true });

const listenEverywhere = async (port: number): Promise<Server> => {
  const server = createServer((socket) => socket.end("here"));
  server.listen(port, "::");
  await once(server, "listening");
  return server;
};

test("every packet is recorded, to whatever address, and with its payload", async (t) => {
  const capture = await startCapture(t);
  const server = await listenEverywhere(443);
  t.after(() => server.close());
  assert.deepEqual(await capture.take(), []);
  for (const host of ["93.184.216.34", "10.0.0.1", "169.254.169.254", "2606:2800:220::1"]) {
    const socket = connect(443, host);
    const [said] = await once(socket, "data");
    assert.equal(String(said), "here");
    await once(socket, "close");
    const packets = await capture.take();
    const others = packets.filter(
      ({ protocol, from, to }) => protocol !== 6 || ![from, to].includes(host),
    );
    assert.deepEqual(others, []);
    assert.equal(
      packets.reduce((sum, { payload }) => sum + payload, 0),
      4,
    );
  }
  // A port where nobody listens, and UDP: what counts is that it was sent.
  const refused = connect(444, "8.8.8.8");
  await once(refused, "error");
  assert.ok((await capture.take()).some(({ to, toPort }) => to === "8.8.8.8" && toPort === 444));
  const socket = createSocket("udp4");
  t.after(() => socket.close());
  await new Promise((resolve) => socket.send("query", 53, "9.9.9.9", resolve));
  const [query] = await capture.take();
  assert.deepEqual(
    [query?.protocol, query?.to, query?.toPort, query?.payload],
    [17, "9.9.9.9", 53, 5],
  );
  assert.equal(await capture.end(), 0);
});
