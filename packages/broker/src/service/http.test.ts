import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { endOf, openClient, readHead, startRecorder } from "../testing/broker-lab.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { API, allOf, HERE, lab, NETWORK, OTHER } from "./testing/names.js";

enterPrivateNetwork(import.meta.url, NETWORK);

const CLOSE = "Connection: close\r\n";

const get = (path: string, fields = CLOSE, host = API): string =>
  `GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`;

const bodyOf = async (message: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of message) text += chunk;
  return text;
};

/** A server that tells what it was asked, on an address of its own. */
const startOrigin = async (t: TestContext, handler: RequestListener): Promise<void> => {
  const server = createServer(handler).listen(80, HERE);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
};

const mirror: RequestListener = async (request, response) => {
  const body = await bodyOf(request);
  const { method, url, headers } = request;
  response.end(JSON.stringify({ method, url, headers, body }));
};

/** An origin that answers the first bytes of each connection with exactly these. */
const startScript = (t: TestContext, answer: string, then: (socket: Socket) => void) =>
  startRecorder(t, HERE, 80, (socket) => {
    socket.once("data", () => {
      socket.write(answer, "latin1");
      then(socket);
    });
  });

const seen = (text: string) => JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));

describe("a request in absolute-form", () => {
  it("reaches the granted authority in origin-form, with its own Host and nothing hop-by-hop", async (t) => {
    const { port, receipts } = await lab(t);
    await startOrigin(t, mirror);
    const fields =
      "Proxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\n" +
      "Upgrade: websocket\r\nConnection: close, upgrade, x-hop\r\nX-Hop: 1\r\nX-End: 2\r\n";
    const text = await allOf(openClient(t, port, get("/a/b?c=d", fields)));
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    const { method, url, headers } = seen(text);
    assert.deepEqual([method, url], ["GET", "/a/b?c=d"]);
    assert.deepEqual(Object.keys(headers).sort(), ["connection", "host", "via", "x-end"]);
    assert.deepEqual([headers.host, headers.connection], [API, "close"]);
    const [decision, closed] = receipts;
    assert(decision?.kind === "decision" && closed?.kind === "closed");
    assert.deepEqual([decision.form, decision.protocol], ["absolute", "http"]);
    assert.deepEqual([closed.reason, closed.serverName], ["CLOSED", "not-asked"]);
    assert.ok(closed.up > 0 && closed.down > 0);
  });

  it("is decided anew on the same connection, and each answer stands where it belongs", async (t) => {
    const { port, receipts } = await lab(t);
    await startOrigin(t, mirror);
    const elsewhere = await startRecorder(t, OTHER, 80);
    const client = openClient(
      t,
      port,
      get("/1", "") + get("/2", "") + get("/3", "", "other.example.com"),
    );
    const text = await allOf(client);
    assert.deepEqual(text.match(/"url":"[^"]*"/g), ['"url":"/1"', '"url":"/2"']);
    assert.match(text, /HTTP\/1\.1 403 Forbidden\r\nDrydock-Reason: AUTHORITY_NOT_GRANTED/);
    assert.equal(elsewhere.connections, 0);
    assert.equal(receipts.filter(({ kind }) => kind === "decision").length, 3);
  });

  it("carries bodies by length and in chunks, both ways, and waits for a 100 when asked", async (t) => {
    const { port } = await lab(t);
    await startOrigin(t, mirror);
    const head = `POST http://${API}/ HTTP/1.1\r\nHost: ${API}\r\n${CLOSE}`;
    const cases = [
      [`${head}Content-Length: 5\r\n\r\nhello`, "hello"],
      [`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n`, "hello"],
      [`${head}Content-Length: 0\r\n\r\n`, ""],
    ] as const;
    for (const [request, body] of cases) {
      const text = await allOf(openClient(t, port, request));
      assert.equal(seen(text).body, body);
    }
    const waiting = openClient(t, port, `${head}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`);
    assert.equal((await readHead(waiting)).status, 100);
    waiting.write("after");
    assert.equal(seen(await allOf(waiting)).body, "after");
  });

  it("is refused when two readers could see two requests in it, and nothing is dialled", async (t) => {
    const { port, dns } = await lab(t);
    const origin = await startRecorder(t, HERE, 80);
    const post = (fields: string) =>
      `POST http://${API}/ HTTP/1.1\r\nHost: ${API}\r\n${fields}\r\n`;
    const cases = [
      [post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), "FRAMING"],
      [post("Content-Length: 3\r\nContent-Length: 4\r\n"), "FRAMING"],
      [post("Transfer-Encoding: xchunked\r\n"), "FRAMING"],
      [`GET http://${API}/ HTTP/1.1\r\nHost: other.example.com\r\n\r\n`, "HOST_DIFFERENT"],
      [`GET / HTTP/1.1\r\nHost: ${API}\r\n\r\n`, "METHOD"],
      [`GET https://${API}/ HTTP/1.1\r\nHost: ${API}\r\n\r\n`, null],
      [`GET http://${API}/ HTTP/1.1\r\nHost: ${API}\r\n folded: x\r\n\r\n`, "REQUEST_SYNTAX"],
      [`GET http://${API}/ HTTP/1.1\nHost: ${API}\n\n`, "REQUEST_SYNTAX"],
    ] as const;
    for (const [request, reason] of cases) {
      const answer = await readHead(openClient(t, port, request));
      assert.equal(answer.status, 403, request);
      if (reason !== null) assert.equal(answer.reason, reason, request);
    }
    assert.deepEqual([dns.queries.length, origin.connections], [0, 0]);
  });

  it("doesn't take a tunnel's authority, nor a tunnel that of requests", async (t) => {
    const { port } = await lab(t);
    const origin = await startRecorder(t, HERE, 80);
    const tunnel = openClient(t, port, `CONNECT ${API}:80 HTTP/1.1\r\nHost: ${API}:80\r\n\r\n`);
    assert.equal((await readHead(tunnel)).reason, "PROTOCOL_NOT_GRANTED");
    const request = openClient(
      t,
      port,
      `GET http://${API}:443/ HTTP/1.1\r\nHost: ${API}:443\r\n\r\n`,
    );
    assert.equal((await readHead(request)).reason, "PROTOCOL_NOT_GRANTED");
    assert.equal(origin.connections, 0);
  });

  it("is answered in the one form when the upstream gives nothing that may be passed on", async (t) => {
    const cases = [
      ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "RESPONSE_SYNTAX"],
      [
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "RESPONSE_SYNTAX",
      ],
      ["ICY 200 OK\r\n\r\n", "RESPONSE_SYNTAX"],
      [`HTTP/1.1 200 OK\r\nX: ${"x".repeat(70_000)}\r\n\r\n`, "RESPONSE_TOO_LARGE"],
      ["HTTP/1.1 20", "UPSTREAM_RESET"],
    ] as const;
    for (const [answer, reason] of cases) {
      const { port } = await lab(t);
      const origin = await startScript(t, answer, (socket) => socket.end());
      const client = openClient(t, port, get("/"));
      assert.equal((await readHead(client)).reason, reason, answer.slice(0, 60));
      origin.close();
    }
  });

  it("is cut by reset when the response breaks off, and ends well when that is how it ends", async (t) => {
    const cases = [
      ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "ECONNRESET"],
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", "ECONNRESET"],
      ["HTTP/1.1 200 OK\r\n\r\nall of it", "end"],
      ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhalf and more", "end"],
    ] as const;
    for (const [answer, end] of cases) {
      const { port } = await lab(t);
      const origin = await startScript(t, answer, (socket) => setTimeout(() => socket.end(), 50));
      const client = openClient(t, port, get("/"));
      assert.equal(await endOf(client), end, answer);
      origin.close();
    }
  });

  it("is answered for HEAD, 204 and 304 without a body, for HTTP/1.0 without chunks", async (t) => {
    const { port } = await lab(t);
    await startOrigin(t, (request, response) => {
      if (request.url === "/204") response.writeHead(204).end();
      else if (request.httpVersion === "1.1" && request.url === "/chunks") {
        response.write("bo");
        response.end("dy");
      } else response.writeHead(200, { "content-length": 4 }).end("body");
    });
    const head = await allOf(
      openClient(t, port, `HEAD http://${API}/ HTTP/1.1\r\nHost: ${API}\r\n${CLOSE}\r\n`),
    );
    assert.match(head, /content-length: 4\r\n[\s\S]*\r\n\r\n$/i);
    assert.match(await allOf(openClient(t, port, get("/204"))), /^HTTP\/1\.1 204 [\s\S]*\r\n\r\n$/);
    const old = await allOf(
      openClient(t, port, `GET http://${API}/chunks HTTP/1.0\r\nHost: ${API}\r\n\r\n`),
    );
    assert.match(old, /\r\n\r\nbody$/);
    assert.doesNotMatch(old, /chunked/i);
  });

  it("is used by curl", async (t) => {
    const { port } = await lab(t);
    await startOrigin(t, mirror);
    const run = promisify(execFile);
    const curl = (...args: string[]) =>
      run("curl", ["-sS", "--proxy", `http://127.0.0.1:${port}`, ...args]);
    const posted = await curl("-d", "x".repeat(100_000), `http://${API}/1`, `http://${API}/2`);
    assert.equal(posted.stdout.match(/"body":"x{100000}"/g)?.length, 2);
    const denied = await curl("-o", "/dev/null", "-w", "%{http_code}", "http://other.example.com/");
    assert.equal(denied.stdout, "403");
  });

  it("has the limits of a tunnel", async (t) => {
    const { port, receipt } = await lab(t, {
      limits: { maxBytesDown: 1000, idleTimeoutMs: 1_000 },
    });
    await startOrigin(t, (request, response) => {
      if (request.url === "/silent") return;
      response.end(Buffer.alloc(request.url === "/large" ? 5_000 : 100));
    });
    assert.equal(await endOf(openClient(t, port, get("/small"))), "end");
    assert.equal((await readHead(openClient(t, port, get("/silent")))).reason, "IDLE");
    await endOf(openClient(t, port, get("/large")));
    await receipt((one) => one.kind === "closed" && one.reason === "BYTES_DOWN");
  });
});
