import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ResponseStep } from "./model.js";
import { createResponseReader } from "./response-reader.js";
import { octets, text } from "./testing/drive.js";

const LIMITS = { maxHeaderBytes: 4096 };

const read = (bytes: string, method = "GET"): ResponseStep =>
  createResponseReader(LIMITS, method).push(octets(bytes));

const head = (...lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;

const OK = "HTTP/1.1 200 OK";

describe("a response head", () => {
  it("has its end-to-end fields and its content's framing apart", () => {
    const step = read(
      `${head(
        OK,
        "Content-Length: 5",
        "Content-Type: text/plain",
        "Connection: keep-alive, x-hop",
        "X-Hop: 1",
        "Keep-Alive: timeout=5",
        "Proxy-Authenticate: Basic",
        "Set-Cookie: a=1",
        "Set-Cookie: b=2",
      )}hello`,
    );
    assert.ok(step.kind === "response");
    assert.deepEqual(
      { ...step, rest: text(step.rest) },
      {
        kind: "response",
        version: "1.1",
        status: 200,
        phrase: "OK",
        fields: [
          { name: "content-type", value: "text/plain" },
          { name: "set-cookie", value: "a=1" },
          { name: "set-cookie", value: "b=2" },
        ],
        body: { kind: "length", bytes: 5 },
        rest: "hello",
      },
    );
  });

  for (const [what, bytes, method, body] of [
    ["in chunks", head(OK, "Transfer-Encoding: chunked"), "GET", { kind: "chunked" }],
    ["until the connection ends", head(OK), "GET", { kind: "until-close" }],
    ["of HTTP/1.0", head("HTTP/1.0 200 OK"), "POST", { kind: "until-close" }],
    [
      "without a phrase",
      head("HTTP/1.1 200 ", "Content-Length: 0"),
      "GET",
      { kind: "length", bytes: 0 },
    ],
    [
      "with a phrase of other octets",
      head("HTTP/1.1 404 Nicht gef\xfcnden\t!"),
      "GET",
      { kind: "until-close" },
    ],
    ["204", head("HTTP/1.1 204 No Content"), "GET", { kind: "none" }],
    [
      "204 with no content announced",
      head("HTTP/1.1 204 X", "Content-Length: 0"),
      "GET",
      { kind: "none" },
    ],
    [
      "304 in chunks of another response",
      head("HTTP/1.1 304 X", "Transfer-Encoding: chunked"),
      "GET",
      { kind: "none" },
    ],
    ["to HEAD", head(OK, "Content-Length: 5"), "HEAD", { kind: "none" }],
    ["599", head("HTTP/1.1 599 X", "Content-Length: 1"), "GET", { kind: "length", bytes: 1 }],
  ] as const) {
    it(`may be ${what}`, () => {
      const step = read(bytes, method);
      assert.deepEqual(step.kind === "response" && step.body, body);
    });
  }

  it("keeps Content-Length only where it frames nothing", () => {
    const lengths = (bytes: string, method: string) => {
      const step = read(bytes, method);
      return step.kind === "response" && step.fields.map(({ value }) => value);
    };
    assert.deepEqual(lengths(head(OK, "Content-Length: 5"), "HEAD"), ["5"]);
    assert.deepEqual(lengths(head("HTTP/1.1 304 X", "Content-Length: 5"), "GET"), ["5"]);
    assert.deepEqual(lengths(head("HTTP/1.1 204 X", "Content-Length: 0"), "HEAD"), []);
    assert.deepEqual(lengths(head(OK, "Content-Length: 5"), "GET"), []);
  });
});

describe("interim responses", () => {
  const HINTS = head("HTTP/1.1 103 Early Hints", "Link: </x>");

  it("come before the response, a few of them", () => {
    const reader = createResponseReader(LIMITS, "GET");
    let rest = octets(`${HINTS.repeat(8)}${head(OK, "Content-Length: 1")}x`);
    for (let count = 0; count < 8; count++) {
      const step = reader.push(rest);
      assert.ok(step.kind === "interim");
      assert.deepEqual(
        [step.status, step.phrase, step.fields],
        [103, "Early Hints", [{ name: "link", value: "</x>" }]],
      );
      rest = step.rest;
    }
    const step = reader.push(rest);
    assert.equal(step.kind === "response" && text(step.rest), "x");
  });

  it("aren't endless", () => {
    const reader = createResponseReader(LIMITS, "GET");
    let rest = octets(HINTS.repeat(9));
    for (let count = 0; count < 8; count++) {
      const step = reader.push(rest);
      assert.ok(step.kind === "interim");
      rest = step.rest;
    }
    assert.deepEqual(reader.push(rest), { kind: "refused", reason: "RESPONSE_SYNTAX" });
  });
});

describe("refused", () => {
  for (const bytes of [
    "\r\n",
    "\0",
    "SSH-2.0-OpenSSH_9.2\r\n",
    "<html>\r\n",
    "ICY 200 OK\r\n",
    "HTTP/1.1 200\r\n",
    "HTTP/1.1  200 OK\r\n",
    "HTTP/1.1 20 OK\r\n",
    "HTTP/1.1 2000 OK\r\n",
    "HTTP/1.1 600 X\r\n",
    "HTTP/1.1 099 X\r\n",
    "HTTP/1.1 +20 OK\r\n",
    "HTTP/1.2 200 OK\r\n",
    "HTTP/2 200 OK\r\n",
    "http/1.1 200 OK\r\n",
    " HTTP/1.1 200 OK\r\n",
    `${OK}\nX: y\r\n\r\n`,
    `${OK}\r\nX: y\n\r\n`,
    `${OK}\r\nX: y\rz\r\n\r\n`,
    head(OK, "X : y"),
    head(OK, "X: y", " folded"),
    head(OK, "X: a\0b"),
    head(OK, "Content-Length: 1", "Content-Length: 1"),
    head(OK, "Content-Length: 1", "Transfer-Encoding: chunked"),
    head(OK, "Content-Length: 01"),
    head(OK, "Transfer-Encoding: gzip, chunked"),
    head("HTTP/1.0 200 OK", "Transfer-Encoding: chunked"),
    head("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: upgrade"),
    head("HTTP/1.1 204 No Content", "Content-Length: 5"),
    head("HTTP/1.1 204 No Content", "Transfer-Encoding: chunked"),
    head("HTTP/1.1 100 Continue", "Content-Length: 5"),
    head("HTTP/1.1 103 X", "Transfer-Encoding: chunked"),
    head(OK, "Content-Length: 1", "Connection: content-length"),
  ]) {
    it(JSON.stringify(bytes).slice(0, 90), () => {
      assert.deepEqual(read(bytes), { kind: "refused", reason: "RESPONSE_SYNTAX" });
    });
  }

  it("beyond the limit, at the byte that fills it", () => {
    const whole = head(OK, "Content-Length: 1");
    const of = (maxHeaderBytes: number) =>
      createResponseReader({ maxHeaderBytes }, "GET").push(octets(whole));
    assert.equal(of(whole.length).kind, "response");
    assert.deepEqual(of(whole.length - 1), { kind: "refused", reason: "RESPONSE_TOO_LARGE" });
  });
});
