import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { Duplex } from "node:stream";
import { before, describe, type TestContext, test } from "node:test";
import { type ApplianceRequest, TransportError } from "@drydock/acceptance";
import { type ApplianceIdentity, createApplianceIdentity } from "../appliance/index.js";
import { LabCredential } from "../configuration/index.js";
import {
  type ClientOptions,
  createReadClient,
  createWriteClient,
  type ExchangeNote,
} from "./clients.js";

const NAME = "candidate.lab.invalid";
const KEY = "a-key-that-nobody-may-see";
const ALIASES = "/api/v2/firewall/aliases";
const CHANGE: ApplianceRequest = {
  method: "PATCH",
  endpoint: "FIREWALL_ALIAS",
  body: { id: 1, descr: "a-description-that-nobody-may-see", apply: false },
};
const EMPTY = JSON.stringify({ data: [] });

type Handler = (request: IncomingMessage, response: ServerResponse, socket: Duplex) => void;

let mine: ApplianceIdentity;
let others: ApplianceIdentity;
const identity = (name: string) =>
  createApplianceIdentity({
    name,
    address: "127.0.0.1",
    now: new Date(),
    lifetimeMs: 3_600_000,
    random: (length) => randomBytes(length),
  });

before(async () => {
  mine = await identity(NAME);
  others = await identity("other.lab.invalid");
});

const serve = async (t: TestContext, handler: Handler, shown = mine) => {
  const sockets = new Set<Duplex>();
  let requests = 0;
  const server = createServer(
    { cert: shown.certificatePem, key: shown.keyPem },
    (request, response) => {
      requests += 1;
      request.resume();
      handler(request, response, request.socket);
    },
  );
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const notes: ExchangeNote[] = [];
  const options: ClientOptions = {
    endpoint: {
      address: "127.0.0.1",
      port: (server.address() as AddressInfo).port,
      host: NAME,
      ca: mine.caCertificatePem,
      deadlines: { connectMs: 5_000, answerMs: 5_000 },
    },
    credential: new LabCredential(KEY),
    clock: () => performance.now(),
    onExchange: (note) => notes.push(note),
  };
  return {
    options,
    notes,
    count: () => requests,
    read: createReadClient(options),
    write: createWriteClient(options),
  };
};

const after = (options: ClientOptions, answerMs: number): ClientOptions => ({
  ...options,
  endpoint: { ...options.endpoint, deadlines: { connectMs: 5_000, answerMs } },
});

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof TransportError && error.code === code;

describe("a read", () => {
  test("brings status and body, by the pinned address, with the key in its header", async (t) => {
    const seen: IncomingMessage[] = [];
    const { read, options } = await serve(t, (request, response) => {
      seen.push(request);
      response.end(EMPTY);
    });
    const answer = await read.get(ALIASES, { limit: 500, name__contains: "a&b c" });
    assert.deepEqual(answer, { status: 200, body: { data: [] } });
    const [request] = seen;
    assert.equal(request?.url, `${ALIASES}?limit=500&name__contains=a%26b+c`);
    assert.equal(request?.headers["x-api-key"], KEY);
    assert.equal(request?.headers.host, `${NAME}:${options.endpoint.port}`);
  });

  test("follows no redirect, and heeds no proxy variable", async (t) => {
    const { read, count } = await serve(t, (_, response) => {
      response.writeHead(302, { location: "https://192.0.2.1/" }).end();
    });
    process.env["HTTPS_PROXY"] = "http://127.0.0.1:1";
    t.after(() => delete process.env["HTTPS_PROXY"]);
    assert.deepEqual(await read.get(ALIASES), { status: 302, body: null });
    assert.equal(count(), 1);
  });

  test("of a path that isn't listed is never asked", async (t) => {
    const { read, count } = await serve(t, (_, response) => response.end(EMPTY));
    for (const path of ["/api/v2/auth/keys", `${ALIASES}/../auth/keys`, `${ALIASES}?x=1`])
      await assert.rejects(
        read.get(path as typeof ALIASES),
        refusedWith("TRANSPORT_NOT_ALLOW_LISTED"),
      );
    assert.equal(count(), 0);
    await read.get(ALIASES);
    assert.equal(count(), 1);
  });

  const broken: readonly (readonly [string, string, Handler])[] = [
    ["that isn't JSON", "TRANSPORT_PROTOCOL", (_, response) => response.end("<html>")],
    ["with a key twice", "TRANSPORT_PROTOCOL", (_, response) => response.end('{"a":1,"a":2}')],
    ["that is no HTTP", "TRANSPORT_PROTOCOL", (_, __, socket) => socket.end("SSH-2.0-x\r\n")],
    ["that never begins", "TRANSPORT_RESET", (_, __, socket) => socket.destroy()],
    [
      "that ends too early",
      "TRANSPORT_TRUNCATED",
      (_, response, socket) => {
        response.writeHead(200, { "content-length": "100" });
        response.write('{"data":');
        setImmediate(() => socket.end());
      },
    ],
    [
      "without an end",
      "TRANSPORT_TOO_LARGE",
      (_, response) => {
        response.on("error", () => undefined);
        const block = Buffer.alloc(1 << 20, " ");
        for (let i = 0; i < 9; i++) response.write(block);
      },
    ],
  ];
  for (const [what, code, handler] of broken)
    test(`of an answer ${what} is ${code}`, async (t) => {
      const { read } = await serve(t, handler);
      await assert.rejects(read.get(ALIASES), refusedWith(code));
    });

  test("waits no longer than its deadline", async (t) => {
    const { options } = await serve(t, () => undefined);
    await assert.rejects(
      createReadClient(after(options, 50)).get(ALIASES),
      refusedWith("TRANSPORT_TIMEOUT"),
    );
  });
});

describe("who answers", () => {
  test("has a certificate for the name, of the one authority", async (t) => {
    const right = await serve(t, (_, response) => response.end(EMPTY));
    await right.read.get(ALIASES);
    const wrongName = await serve(t, (_, response) => response.end(EMPTY), others);
    for (const ca of [mine.caCertificatePem, others.caCertificatePem, null])
      await assert.rejects(
        createReadClient({
          ...wrongName.options,
          endpoint: { ...wrongName.options.endpoint, ca },
        }).get(ALIASES),
        refusedWith("TRANSPORT_TLS"),
      );
    assert.equal(wrongName.count(), 0);
  });

  test("may be an address, whose certificate is for it", async (t) => {
    const { options } = await serve(t, (_, response) => response.end(EMPTY));
    const byAddress = (host: string) =>
      createReadClient({ ...options, endpoint: { ...options.endpoint, host } }).get(ALIASES);
    await byAddress("127.0.0.1");
    await assert.rejects(byAddress("192.0.2.7"), refusedWith("TRANSPORT_TLS"));
  });
});

describe("a send", () => {
  test("is one request, and its answer", async (t) => {
    const bodies: string[] = [];
    const { write } = await serve(t, async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString());
      response.writeHead(422).end('{"code":422}');
    });
    assert.deepEqual(await write.send(CHANGE), {
      kind: "answered",
      status: 422,
      body: { code: 422 },
    });
    assert.deepEqual(bodies, [JSON.stringify(CHANGE.body)]);
  });

  test("of what isn't listed is none", async (t) => {
    const { write, count } = await serve(t, (_, response) => response.end("{}"));
    for (const change of [
      { ...CHANGE, method: "DELETE" as const },
      { ...CHANGE, endpoint: "AUTH_KEY" as never },
      { ...CHANGE, endpoint: "constructor" as never },
    ])
      assert.deepEqual(await write.send(change), { kind: "not-sent", reason: "NOT_ALLOW_LISTED" });
    assert.equal(count(), 0);
  });

  test("is proven not to have happened where there was no connection", async (t) => {
    const closed = createTcpServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, "close");
    const { options, count } = await serve(t, (_, response) => response.end("{}"), others);
    const unsent = { kind: "not-sent", reason: "CONNECT_FAILED" };
    const elsewhere = { ...options, endpoint: { ...options.endpoint, port } };
    assert.deepEqual(await createWriteClient(elsewhere).send(CHANGE), unsent);
    // A certificate that isn't the appliance's: the handshake ends before the request.
    assert.deepEqual(await createWriteClient(options).send(CHANGE), unsent);
    assert.equal(count(), 0);
  });

  for (const [what, reason, handler] of [
    ["a reset after it", "RESET", (_, __, socket) => socket.destroy()],
    ["silence after it", "TIMEOUT", () => undefined],
    [
      "a page that isn't the API's",
      "PROTOCOL",
      (_, response) => response.writeHead(502).end("<p>"),
    ],
    [
      "half an answer",
      "TRUNCATED",
      (_, response, socket) => {
        response.writeHead(200, { "content-length": "50" });
        response.write("{");
        setImmediate(() => socket.end());
      },
    ],
  ] satisfies readonly (readonly [string, string, Handler])[])
    test(`followed by ${what} is ambiguous, and not repeated`, async (t) => {
      const { options, count } = await serve(t, handler);
      assert.deepEqual(await createWriteClient(after(options, 500)).send(CHANGE), {
        kind: "ambiguous",
        reason,
      });
      assert.equal(count(), 1);
    });

  test("leaves a note without any value", async (t) => {
    const { read, write, notes } = await serve(t, (_, response) =>
      response.end('{"data":"secret"}'),
    );
    await write.send(CHANGE);
    await read.get(ALIASES, { name: "LAB_SECRET" });
    assert.deepEqual(
      notes.map(({ durationMs: _, ...note }) => note),
      [
        {
          method: "PATCH",
          path: "/api/v2/firewall/alias",
          status: 200,
          outcome: "answered",
          reason: null,
        },
        { method: "GET", path: ALIASES, status: 200, outcome: "answered", reason: null },
      ],
    );
    assert.doesNotMatch(JSON.stringify(notes), /secret|nobody/i);
  });
});
