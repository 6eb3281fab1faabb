import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { exchange, secure } from "./testing/h1.js";
import { ask, openH2 } from "./testing/h2.js";
import { AUTHORITY, openDoor, startUpstream } from "./testing/lab.js";

const HOST = `Host: ${AUTHORITY.host}\r\n`;
const SAME = { ":authority": AUTHORITY.host };
const CLOSE = "Connection: close\r\n";

/** Requests of which at most one message may reach the upstream, and what it is answered. */
const RAW: readonly (readonly [name: string, text: string, status: number, seen: number])[] = [
  ["a plain request", `GET /a HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 200, 1],
  ["no Host", `GET /a HTTP/1.1\r\n${CLOSE}\r\n`, 421, 0],
  ["another Host", `GET /a HTTP/1.1\r\nHost: other.example.com\r\n\r\n`, 421, 0],
  ["two Hosts", `GET /a HTTP/1.1\r\n${HOST}${HOST}\r\n`, 421, 0],
  ["two different Hosts", `GET /a HTTP/1.1\r\n${HOST}Host: other.example.com\r\n\r\n`, 421, 0],
  ["absolute-form", `GET https://other.example.com/a HTTP/1.1\r\n${HOST}\r\n`, 400, 0],
  ["authority-form", `CONNECT other.example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 403, 0],
  [
    "an upgrade",
    `GET /a HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    403,
    0,
  ],
  ["a silent upgrade", `GET /a HTTP/1.1\r\n${HOST}Upgrade: h2c\r\n\r\n`, 403, 0],
  ["TRACE", `TRACE /a HTTP/1.1\r\n${HOST}\r\n`, 403, 0],
  ["HTTP/1.0", `GET /a HTTP/1.0\r\n${HOST}\r\n`, 505, 0],
  [
    "an expectation",
    `POST /a HTTP/1.1\r\n${HOST}Expect: more\r\nContent-Length: 1\r\n\r\n`,
    400,
    0,
  ],
  [
    "length and chunks",
    `POST /a HTTP/1.1\r\n${HOST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /b HTTP/1.1\r\n${HOST}\r\n`,
    400,
    0,
  ],
  [
    "two lengths",
    `POST /a HTTP/1.1\r\n${HOST}Content-Length: 0\r\nContent-Length: 44\r\n\r\n`,
    400,
    0,
  ],
  [
    "a coding that isn't chunked",
    `POST /a HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\n\r\n`,
    400,
    0,
  ],
  [
    "a coding before chunked",
    `POST /a HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    400,
    0,
  ],
  ["a folded field", `GET /a HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`, 400, 0],
  ["a space before the colon", `GET /a HTTP/1.1\r\n${HOST}X-A : b\r\n\r\n`, 400, 0],
  ["a bare CR", `GET /a HTTP/1.1\r\n${HOST}X-A: b\rX-B: c\r\n\r\n`, 400, 0],
  ["a NUL", `GET /a HTTP/1.1\r\n${HOST}X-A: b\0c\r\n\r\n`, 400, 0],
  ["a space in the target", `GET /a b HTTP/1.1\r\n${HOST}\r\n`, 400, 0],
  [
    "a chunk size with a sign",
    `POST /a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n`,
    400,
    1,
  ],
];

describe("over HTTP/1.1, raw", () => {
  for (const [name, text, status, most] of RAW) {
    test(`${name}: ${status}`, async (t) => {
      const upstream = await startUpstream(t);
      const door = await openDoor(t, { upstream, limits: { headerTimeoutMs: 1_000 } });
      const received = await exchange(door, text);
      assert.ok(upstream.seen.length <= most, `${upstream.seen.length} reached the upstream`);
      // What was begun before its chunks turned out wrong can't be answered any more.
      if (most === 0 || status === 200) assert.match(received, new RegExp(`^HTTP/1.1 ${status} `));
      assert.ok(!/HTTP\/1\.1 \d{3} [\s\S]*HTTP\/1\.1 \d{3} /.test(received), "one answer only");
    });
  }

  test("what follows a refused request is never read as one", async (t) => {
    const upstream = await startUpstream(t);
    const door = await openDoor(t, { upstream });
    const smuggled = `GET /b HTTP/1.1\r\n${HOST}\r\n`;
    const text = `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    assert.match(await exchange(door, text), /^HTTP\/1\.1 421 /);
    assert.equal(upstream.seen.length, 0);
  });

  test("fields of the connection stay where they are", async (t) => {
    const upstream = await startUpstream(t);
    const door = await openDoor(t, { upstream });
    await exchange(
      door,
      `GET /a HTTP/1.1\r\n${HOST}Connection: close, X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\nTE: trailers\r\nProxy-Authorization: x\r\nKeep-Alive: 3\r\n\r\n`,
    );
    const { "x-end": end, connection, host, ...rest } = upstream.seen[0]?.headers ?? {};
    assert.equal(end, "2");
    assert.equal(host, AUTHORITY.host);
    assert.equal(connection, "keep-alive");
    assert.deepEqual(rest, {});
  });

  test("requests in a pipeline are answered in order, up to a limit", async (t) => {
    const upstream = await startUpstream(t, {
      handler: (request, response) => setTimeout(() => response.end(`<${request.url}>`), 2),
    });
    const door = await openDoor(t, { upstream });
    const requests = (count: number) =>
      Array.from(
        { length: count },
        (_, index) => `GET /${index} HTTP/1.1\r\n${HOST}${index === count - 1 ? CLOSE : ""}\r\n`,
      ).join("");
    const received = await exchange(door, requests(10));
    assert.deepEqual(
      received.match(/<\/\d>/g)?.join(""),
      "</0></1></2></3></4></5></6></7></8></9>",
    );
    await exchange(door, requests(200));
    assert.equal((await door.ended(2))[1]?.reason, "CAPACITY");
    assert.ok(upstream.seen.length < 30);
  });

  test("a head that is too long, or too long in coming, is refused", async (t) => {
    const upstream = await startUpstream(t);
    const door = await openDoor(t, {
      upstream,
      limits: { maxHeaderBytes: 4_096, headerTimeoutMs: 1_000 },
    });
    const long = (length: number) =>
      `GET /a HTTP/1.1\r\n${HOST}${CLOSE}X-A: ${"a".repeat(length)}\r\n\r\n`;
    assert.match(await exchange(door, long(3_000)), /^HTTP\/1\.1 200 /);
    assert.match(await exchange(door, long(5_000)), /^HTTP\/1\.1 431 /);
    const slow = await secure(door);
    slow.on("error", () => undefined);
    slow.write("GET /a HT");
    await new Promise((resolve) => slow.once("close", resolve));
    assert.equal((await door.ended(3))[2]?.reason, "HEADER_TIMEOUT");
  });

  test("a client that leaves in the middle takes the upstream's connection with it", async (t) => {
    const upstream = await startUpstream(t, { handler: () => undefined });
    const door = await openDoor(t, { upstream });
    const socket = await secure(door);
    socket.on("error", () => undefined);
    const arrived = new Promise((resolve) => upstream.server.once("request", resolve));
    socket.write(`GET /a HTTP/1.1\r\n${HOST}\r\n`);
    await arrived;
    const gone = new Promise((resolve) => upstream.seen[0]?.socket.once("close", resolve));
    socket.destroy();
    await gone;
    assert.equal((await door.ended(1))[0]?.reason, "CLIENT_RESET");
  });
});

describe("over HTTP/2", () => {
  for (const [name, headers, status] of [
    ["a plain request", { ":path": "/a" }, 200],
    ["another :authority", { ":path": "/a", ":authority": "other.example.com" }, 421],
    ["another Host beside it", { ":path": "/a", ...SAME, host: "other.example.com" }, 421],
    ["the same Host beside it", { ":path": "/a", ...SAME, host: AUTHORITY.host }, 200],
    ["another Host instead of it", { ":path": "/a", host: "other.example.com" }, 421],
    ["the same Host instead of it", { ":path": "/a", host: AUTHORITY.host }, 200],
    ["another scheme", { ":path": "/a", ":scheme": "http" }, 400],
    ["a path that is none", { ":path": "a" }, undefined],
    ["a fragment", { ":path": "/a#b" }, 400],
    ["CONNECT", { ":method": "CONNECT", ":authority": "other.example.com:443" }, 403],
    ["TRACE", { ":method": "TRACE", ":path": "/a" }, 403],
    ["a lower-case method", { ":method": "get", ":path": "/a" }, 400],
  ] as const) {
    test(`${name}: ${status ?? "reset"}`, async (t) => {
      const upstream = await startUpstream(t, { h2: true });
      const door = await openDoor(t, { upstream });
      const session = await openH2(t, door);
      assert.equal((await ask(session, { ...headers })).status, status);
      assert.equal(upstream.seen.length, status === 200 ? 1 : 0);
      // A refused stream leaves the others alone.
      assert.equal((await ask(session, { ":path": "/next" })).status, 200);
    });
  }

  test("streams that are opened and reset end the connection; finished ones don't", async (t) => {
    const upstream = await startUpstream(t, { h2: true });
    const door = await openDoor(t, { upstream });
    const good = await openH2(t, door);
    for (let index = 0; index < 260; index += 1) {
      assert.equal((await ask(good, { ":path": "/" })).status, 200);
    }
    const bad = await openH2(t, door);
    const storm = setInterval(() => {
      for (let index = 0; index < 50 && !bad.destroyed; index += 1) {
        const stream = bad.request({ ":path": "/" });
        stream.on("error", () => undefined);
        stream.close(8);
      }
    }, 5);
    const [outcome] = await door.ended(1);
    clearInterval(storm);
    bad.destroy();
    assert.equal(outcome?.reason, "CAPACITY");
    assert.ok(upstream.seen.length < 260 + 300, "most never reached the upstream");
    assert.equal((await ask(good, { ":path": "/" })).status, 200);
  });
});

describe("with rules", () => {
  const requests = [{ methods: ["GET"], path: "/public/" }];
  for (const [path, status] of [
    ["/public/a?b=../c", 200],
    ["/private", 403],
    ["/public/../private", 403],
    ["/public/%2e%2e/private", 403],
    ["/public/..;/private", 403],
  ] as const) {
    test(`GET ${path}: ${status}, over both protocols`, async (t) => {
      const upstream = await startUpstream(t, { h2: true });
      const door = await openDoor(t, { upstream, requests });
      const h1 = await exchange(door, `GET ${path} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
      assert.match(h1, new RegExp(`^HTTP/1.1 ${status} `));
      assert.equal((await ask(await openH2(t, door), { ":path": path })).status, status);
      assert.deepEqual(
        upstream.seen.map(({ url }) => url),
        status === 200 ? [path, path] : [],
      );
      assert.deepEqual(
        door.events.map((event) => (event.kind === "admitted" ? event.rule : null)),
        status === 200 ? [0, 0] : [null, null],
      );
    });
  }

  test("other methods are refused", async (t) => {
    const upstream = await startUpstream(t);
    const door = await openDoor(t, { upstream, requests });
    const text = `DELETE /public/a HTTP/1.1\r\n${HOST}${CLOSE}\r\n`;
    assert.match(await exchange(door, text), /^HTTP\/1\.1 403 [\s\S]*RULE_NOT_GRANTED/);
    assert.equal(upstream.seen.length, 0);
  });
});
