import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { closed } from "@drydock/testkit";
import { success } from "../answer/index.js";
import type { ApiCall } from "../request/index.js";
import { createApplianceIdentity } from "./ca.js";
import { MAX_BODY_BYTES, MAX_CONNECTIONS, MAX_HEADER_BYTES } from "./limits.js";
import { createApplianceServer, type RequestRecord } from "./serve.js";

const identity = createApplianceIdentity({
  name: "appliance.lab.invalid",
  address: "192.0.2.10",
  now: new Date(),
  lifetimeMs: 3_600_000,
  random: randomBytes,
});

const PATIENT = { headerMs: 60_000, requestMs: 60_000, idleMs: 60_000 };
const IMPATIENT = { headerMs: 400, requestMs: 800, idleMs: 1_200 };

/** The server alone, which answers everything with what it was asked. */
const serving = async (t: TestContext, { answerBytes = 0, patience = PATIENT } = {}) => {
  const calls: ApiCall[] = [];
  const records: RequestRecord[] = [];
  const server = createApplianceServer({
    identity: await identity,
    random: randomBytes,
    clock: () => 1_000,
    answer: async (call) => {
      calls.push(call);
      return success({ path: call.path, body: call.body.length, pad: "x".repeat(answerBytes) });
    },
    onAnswered: (record) => records.push(record),
    patience,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({
      port,
      host: "127.0.0.1",
      servername: "appliance.lab.invalid",
      ca: (await identity).caCertificatePem,
    });
    socket.on("error", () => undefined);
    t.after(() => socket.destroy());
    await once(socket, "secureConnect");
    return socket;
  };
  return { calls, records, open, server };
};

/** What comes back until the other side ends. */
const everything = async (socket: TLSSocket): Promise<string> => {
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
  });
  await closed(socket);
  return text;
};

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

const post = (fields: string, body = ""): string =>
  `POST /api/v2/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n${body}`;

describe("the server", () => {
  test("answers what is HTTP", async (t) => {
    const { open, calls } = await serving(t);
    const socket = await open();
    socket.write(post("Content-Length: 2\r\nX-API-Key: k\r\n", "{}"));
    assert.match(await everything(socket), /^HTTP\/1\.1 200 OK\r\n[\s\S]*"body":2/);
    assert.equal(calls[0]?.fields["x-api-key"], "k");
    assert.equal(calls[0]?.clientAddress, "127.0.0.1");
  });

  for (const [what, bytes] of [
    ["no HTTP", "\0\x01\x02\r\n\r\n"],
    ["a method that is none", "GE T / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}")],
    [
      "a length and chunks",
      post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
    ],
    ["a length that is no number", post("Content-Length: 2x\r\n", "{}")],
    ["a chunk that has no size", post("Transfer-Encoding: chunked\r\n", "x\r\n\r\n")],
    ["a line break in a field", post("X-A: b\rc\r\n", "")],
  ] as const) {
    test(`refuses ${what}, and nothing of it reaches the appliance`, async (t) => {
      const { open, calls } = await serving(t);
      const socket = await open();
      socket.write(bytes);
      assert.match(await everything(socket), /^HTTP\/1\.1 400 /);
      assert.deepEqual(calls, []);
    });
  }

  test("takes a body of a mebibyte and none that is a byte longer, told or not", async (t) => {
    const { open, calls } = await serving(t);
    const fits = await open();
    fits.write(post(`Content-Length: ${MAX_BODY_BYTES}\r\n`, "x".repeat(MAX_BODY_BYTES)));
    assert.match(await everything(fits), /^HTTP\/1\.1 200 /);
    const told = await open();
    told.write(post(`Content-Length: ${MAX_BODY_BYTES + 1}\r\n`));
    assert.match(await everything(told), /^HTTP\/1\.1 413 /);
    const untold = await open();
    const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`;
    untold.write(post("Transfer-Encoding: chunked\r\n", chunk.repeat(34)));
    assert.match(await everything(untold), /^HTTP\/1\.1 413 /);
    assert.equal(calls.length, 1);
  });

  test("takes no header that is too long", async (t) => {
    const { open, calls } = await serving(t);
    const socket = await open();
    socket.write(post(`X-A: ${"x".repeat(MAX_HEADER_BYTES)}\r\n`));
    assert.match(await everything(socket), /^HTTP\/1\.1 431 /);
    assert.deepEqual(calls, []);
  });

  test("waits for no client that is slow with its header or its body", async (t) => {
    const { open, calls } = await serving(t, { patience: IMPATIENT });
    for (const start of ["POST /x HTTP/1.1\r\nHost: a\r\n", post("Content-Length: 900\r\n", "{")]) {
      const socket = await open();
      socket.write(start);
      // A byte now and then doesn't buy more time.
      const drip = setInterval(() => socket.write("x"), 50);
      const said = await everything(socket);
      clearInterval(drip);
      assert.match(said, /^(HTTP\/1\.1 408 |$)/);
    }
    assert.deepEqual(calls, []);
  });

  test("lets go of a client that doesn't read its answer", async (t) => {
    const { open, server } = await serving(t, { answerBytes: 16 << 20, patience: IMPATIENT });
    const socket = await open();
    socket.pause();
    socket.write(post(""));
    assert.equal(await connectionsOf(server), 1);
    while ((await connectionsOf(server)) > 0) await pause();
  });

  test("has room for so many clients, and for one when another has left", async (t) => {
    const { open, server } = await serving(t);
    assert.equal(server.maxConnections, MAX_CONNECTIONS);
    server.maxConnections = 2;
    const one = await open();
    await open();
    await assert.rejects(Promise.race([open(), once(one, "close").then(() => assert.fail())]));
    one.destroy();
    await once(one, "close");
    while ((await connectionsOf(server)) > 1) await pause();
    await open();
  });
});
