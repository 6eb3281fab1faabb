import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { before, describe, test } from "node:test";
import {
  A,
  ANSWER_CELLS,
  a,
  enterPrivateNetwork,
  OPAQUE,
  RESOLVER,
  response,
  send,
  startDnsServer,
} from "@drydock/broker/testing";
import {
  countReasons,
  lastWords,
  reasonIn,
  type Serving,
  startServing,
} from "./testing/egress/serving.js";
import { suiteEndings } from "./testing/suite.js";

enterPrivateNetwork(import.meta.url, { addresses: [], everyAddress: true });

const MIB = 1024 ** 2;
/** Beyond what the process had when it was ready. Node keeps some of what it once needed. */
const MAY_GROW = 200 * MIB;
const CONNECTIONS = 200;
const ATTEMPTS = 10_000;

const GOOD = `${OPAQUE.host}:${OPAQUE.port}`;
const hostileName = (index: number): string => `a${index}.example.com`;

const grant = (name: string): string =>
  `  - { name: ${name}, port: ${OPAQUE.port}, protocol: tcp-opaque, purpose: test }`;

const POLICY = `
schema: drydock.egress/v1
authorities:
${[OPAQUE.host, "resets.example.com", "pours.example.com", ...ANSWER_CELLS.map((_, at) => hostileName(at))].map(grant).join("\n")}
resolvers:
  - address: ${RESOLVER.address}
limits:
  maxConnections: ${CONNECTIONS}
  headerTimeoutMs: 3000
  dnsTimeoutMs: 3000
  idleTimeoutMs: 5000
`;

const RESETS = "93.184.216.35";
const POURS = "93.184.216.36";

const ask = (authority: string): string =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

describe("egress serve among peers that mean harm", () => {
  const endings = suiteEndings();
  let broker: Serving;
  let ready: number;
  let granted = 0;

  before(async () => {
    const addresses: Readonly<{ [host: string]: string }> = {
      [OPAQUE.host]: OPAQUE.v4,
      "resets.example.com": RESETS,
      "pours.example.com": POURS,
    };
    await startDnsServer(
      endings as never,
      (query) => {
        const [, index] = /^a([0-9]+)\./.exec(query.host) ?? [];
        const hostile = index === undefined ? undefined : ANSWER_CELLS[Number(index)];
        if (hostile !== undefined) return hostile.script(query);
        const address = addresses[query.host];
        const answers = query.type === A && address !== undefined ? [a(query.name, address)] : [];
        return send(response(query, { answers }));
      },
      RESOLVER,
    );
    await listenAt(OPAQUE.v4, (socket) => socket.pipe(socket));
    await listenAt(RESETS, (socket) => socket.once("data", () => socket.resetAndDestroy()));
    await listenAt(POURS, pour);
    broker = await startServing(endings, POLICY);
    await works();
    ready = broker.memory().now;
  });

  const listenAt = async (address: string, serve: (socket: Socket) => void): Promise<void> => {
    const sockets = new Set<Socket>();
    const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => sockets.delete(socket));
      serve(socket);
    });
    server.listen(OPAQUE.port, address);
    await once(server, "listening");
    endings.after(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
  };

  /** Whatever happened: what is granted still gets through, from one end to the other. */
  const works = async (): Promise<void> => {
    const socket = broker.open(ask(GOOD));
    const over = lastWords(socket);
    await once(socket, "data");
    socket.end("still here");
    assert.match((await over).text, /^HTTP\/1\.1 200 [^\r]+\r\n\r\nstill here$/);
    granted += 1;
  };

  const remains = async (): Promise<void> => {
    await works();
    const { peak } = broker.memory();
    assert.ok(peak - ready < MAY_GROW, `${Math.round((peak - ready) / MIB)} MiB more`);
  };

  /** While a flood is being worked off there may be no room. */
  const untilWorks = async (): Promise<void> => {
    for (;;) {
      const socket = broker.open(ask(GOOD));
      const over = lastWords(socket);
      socket.end();
      const { text } = await over;
      if (text.startsWith("HTTP/1.1 200 ")) break;
    }
    granted += 1;
  };

  const many = <Result>(count: number, make: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));

  test("clients that take their time over a head, as many as there may be", async (t) => {
    const sockets = Array.from({ length: CONNECTIONS }, () => broker.open("CONNECT "));
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write("x");
    }, 200);
    t.after(() => clearInterval(timer));
    const words = await Promise.all(sockets.map(lastWords));
    clearInterval(timer);
    assert.deepEqual(new Set(words.map(({ text }) => reasonIn(text))), new Set(["HEADER_TIMEOUT"]));
    await remains();
  });

  test("heads without end", async () => {
    const head = `CONNECT ${GOOD} HTTP/1.1\r\n${`X: ${"x".repeat(1000)}\r\n`.repeat(1000)}`;
    const words = await many(CONNECTIONS, () => lastWords(broker.open(head)));
    const reasons = words.map(({ text }) => reasonIn(text)).filter((reason) => reason !== "none");
    // Who goes on sending after the answer is cut off, and may lose it to that.
    assert.ok(reasons.length > 0);
    assert.deepEqual(new Set(reasons), new Set(["HEADER_TOO_LARGE"]));
    await remains();
  });

  test("answers of every hostile kind, beside a name that is well", async () => {
    const wrong: unknown[] = [];
    const hostile = many(ANSWER_CELLS.length, async (index) => {
      const authority = `${hostileName(index)}:${OPAQUE.port}`;
      const said = await many(3, () => lastWords(broker.open(ask(authority))));
      const { name, expected } = ANSWER_CELLS[index] ?? {};
      for (const { text } of said)
        if (reasonIn(text) !== expected?.reason) wrong.push([name, reasonIn(text)]);
    });
    for (let round = 0; round < 10; round += 1) await works();
    await hostile;
    assert.deepEqual(wrong, []);
    await remains();
  });

  test("peers that reset, before the answer, in the tunnel, and behind it", async () => {
    await many(100, async (index) => {
      const socket = broker.open(index % 2 === 0 ? "CONNECT api" : ask(GOOD));
      await once(socket, "connect");
      socket.resetAndDestroy();
    });
    await many(50, async () => {
      const socket = broker.open(ask(GOOD));
      await once(socket, "data");
      socket.resetAndDestroy();
    });
    granted += 50;
    const cut = await many(50, async () => {
      const socket = broker.open(ask(`resets.example.com:${OPAQUE.port}`));
      const over = lastWords(socket);
      await once(socket, "data");
      socket.write("x");
      return over;
    });
    granted += 50;
    assert.ok(cut.every(({ reset }) => reset));
    await remains();
  });

  test("peers that say nothing more and stay", async () => {
    const words = await many(50, async () => {
      const socket = broker.open(ask(GOOD));
      return lastWords(socket);
    });
    granted += 50;
    assert.ok(words.every(({ text, reset }) => reset && text.startsWith("HTTP/1.1 200 ")));
    await remains();
  });

  test("a client that doesn't read, of an upstream that never ends", async () => {
    const sockets = await many(50, async () => {
      const socket = broker.open(ask(`pours.example.com:${OPAQUE.port}`));
      await once(socket, "readable");
      return socket;
    });
    granted += 50;
    await works();
    await remains();
    for (const socket of sockets) socket.resetAndDestroy();
  });

  test(`${ATTEMPTS} attempts to connect`, async () => {
    for (let left = ATTEMPTS; left > 0; left -= 500) {
      const sockets = Array.from({ length: 500 }, () => broker.open());
      await Promise.all(
        sockets.map((socket) =>
          Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined),
        ),
      );
      for (const socket of sockets) socket.destroy();
    }
    await untilWorks();
    await remains();
  });

  test("and its log says all of it, and verifies", async (t) => {
    const { peak } = broker.memory();
    t.diagnostic(
      `${Math.round(ready / MIB)} MiB when ready, ${Math.round(peak / MIB)} MiB at most`,
    );
    const events = await broker.stop();
    const decisions = countReasons(events, "egress.decision");
    const ends = countReasons(events, "egress.closed");
    const answers = countReasons(
      ANSWER_CELLS.flatMap(({ expected: { reason } }) =>
        Array.from({ length: 3 }, () => ({ type: "", measurements: { reason } })),
      ),
      "",
    );
    for (const [reason, count] of Object.entries(answers))
      assert.equal(decisions[reason], count, `receipts of ${reason}`);
    assert.equal(decisions["HEADER_TIMEOUT"], CONNECTIONS);
    assert.equal(decisions["HEADER_TOO_LARGE"], CONNECTIONS);
    assert.ok((decisions["GRANTED"] ?? 0) >= granted);
    const ended = Object.values(ends).reduce((sum, count) => sum + count, 0);
    assert.equal(ended, decisions["GRANTED"], "one end for each grant");
    assert.equal(ends["UPSTREAM_RESET"], 50);
    assert.ok((ends["IDLE"] ?? 0) >= 50);
    assert.ok((ends["CLIENT_RESET"] ?? 0) >= 50);
  });
});

const pour = (socket: Socket): void => {
  const bytes = Buffer.alloc(64 * 1024);
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", more);
  more();
};
