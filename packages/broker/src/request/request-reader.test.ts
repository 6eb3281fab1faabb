import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Reason } from "../decision/reason.js";
import type { RequestStep } from "./model.js";
import { createRequestReader } from "./request-reader.js";
import { octets, text } from "./testing/drive.js";

const LIMITS = { maxHeaderBytes: 4096 };

const read = (head: string, limits = LIMITS): RequestStep =>
  createRequestReader(limits).push(octets(head));

const refusal = (head: string): Reason | string => {
  const step = read(head);
  return step.kind === "refused" ? step.reason : step.kind;
};

/** A head of these lines. */
const head = (...lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;

const CONNECT = "CONNECT a.example:443 HTTP/1.1";
const GET = "GET http://a.example/x HTTP/1.1";
const POST = "POST http://a.example/x HTTP/1.1";
const HOST = "Host: a.example";

describe("CONNECT", () => {
  const authority = { host: "a.example", port: 443 };

  for (const [client, lines] of [
    [
      "curl",
      [CONNECT, "Host: a.example:443", "User-Agent: curl/7.88.1", "Proxy-Connection: Keep-Alive"],
    ],
    ["undici", [CONNECT, "host: a.example", "connection: close"]],
    ["with credentials for a proxy", [CONNECT, "Proxy-Authorization: Basic dTpw", HOST]],
    ["that would upgrade and expects", [CONNECT, HOST, "Upgrade: h2c", "Expect: 100-continue"]],
    ["without Host", [CONNECT]],
    [
      "in another case and with a final dot",
      ["CONNECT A.Example.:443 HTTP/1.1", "Host: a.EXAMPLE"],
    ],
  ] as const) {
    it(client, () => {
      assert.deepEqual(read(head(...lines)), {
        kind: "connect",
        authority,
        version: "1.1",
        rest: Buffer.alloc(0),
      });
    });
  }

  it("of HTTP/1.0, as python's urllib and openssl send it", () => {
    const step = read(head("CONNECT a.example:443 HTTP/1.0"));
    assert.equal(step.kind === "connect" && step.version, "1.0");
  });

  it("keeps what an eager client sent after its head", () => {
    const step = read(`${head(CONNECT)}\x16\x03\x01`);
    assert.equal(step.kind === "connect" && text(step.rest), "\x16\x03\x01");
  });

  it("is incomplete until its empty line's last byte", () => {
    const reader = createRequestReader(LIMITS);
    const bytes = octets(head(CONNECT, HOST));
    for (const byte of bytes.subarray(0, -1)) {
      assert.deepEqual(reader.push(Uint8Array.of(byte)), { kind: "more" });
    }
    assert.equal(reader.push(bytes.subarray(-1)).kind, "connect");
  });
});

describe("a request in absolute-form", () => {
  it("is read with its end-to-end fields, lower-case names and trimmed values", () => {
    assert.deepEqual(
      read(
        head(
          "POST HTTP://A.Example:80/a/%7Eb;c?d=/?e HTTP/1.1",
          "hOST:\t A.example \t",
          "Content-Length: 5",
          "X-Long:a  b",
          "X-Empty:",
          "Accept: */*",
          "Accept: text/html",
          "Connection: keep-alive, x-hop",
          "X-Hop: 1",
          "Keep-Alive: timeout=5",
          "Proxy-Connection: keep-alive",
          "Proxy-Authorization: Basic dTpw",
          "TE: trailers",
          "Upgrade: websocket",
          "Expect: 100-Continue",
          "Authorization: kept",
        ),
      ),
      {
        kind: "absolute",
        method: "POST",
        authority: { host: "a.example", port: 80 },
        path: "/a/%7Eb;c",
        query: "d=/?e",
        version: "1.1",
        fields: [
          { name: "x-long", value: "a  b" },
          { name: "x-empty", value: "" },
          { name: "accept", value: "*/*" },
          { name: "accept", value: "text/html" },
          { name: "authorization", value: "kept" },
        ],
        body: { kind: "length", bytes: 5 },
        expectContinue: true,
        keepAlive: true,
        rest: Buffer.alloc(0),
      },
    );
  });

  for (const [line, path, query] of [
    ["GET http://a.example HTTP/1.1", "/", null],
    ["GET http://a.example/ HTTP/1.1", "/", null],
    ["GET http://a.example?x HTTP/1.1", "/", "x"],
    ["GET http://a.example/? HTTP/1.1", "/", ""],
    ["GET http://a.example//b/.../..c/.d HTTP/1.1", "//b/.../..c/.d", null],
    ["GET http://a.example/@scope%2fname HTTP/1.1", "/@scope%2fname", null],
    ["GET http://a.example/?a/../b HTTP/1.1", "/", "a/../b"],
  ] as const) {
    it(line, () => {
      const step = read(head(line, HOST));
      assert.ok(step.kind === "absolute");
      assert.deepEqual([step.path, step.query], [path, query]);
    });
  }

  it("may have a port, which Host then has too", () => {
    const line = "GET http://a.example:8080/ HTTP/1.1";
    const step = read(head(line, "Host: a.example:8080"));
    assert.deepEqual(step.kind === "absolute" && step.authority, { host: "a.example", port: 8080 });
    assert.equal(refusal(head(line, "Host: a.example")), "HOST_DIFFERENT");
    assert.equal(refusal(head(line, "Host: a.example:80")), "HOST_DIFFERENT");
  });

  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    it(`may be ${method}`, () => {
      const step = read(head(`${method} http://a.example/ HTTP/1.1`, HOST));
      assert.equal(step.kind === "absolute" && step.method, method);
    });
  }

  it("has a body by its length, in chunks, or none", () => {
    const body = (...lines: readonly string[]) => {
      const step = read(head(POST, HOST, ...lines));
      return step.kind === "absolute" ? step.body : step;
    };
    assert.deepEqual(body(), { kind: "none" });
    assert.deepEqual(body("Content-Length: 0"), { kind: "length", bytes: 0 });
    assert.deepEqual(body("Content-Length: 9007199254740991"), {
      kind: "length",
      bytes: Number.MAX_SAFE_INTEGER,
    });
    assert.deepEqual(body("Transfer-Encoding: chunked"), { kind: "chunked" });
    assert.deepEqual(body("Transfer-Encoding: Chunked"), { kind: "chunked" });
  });

  it("waits for 100 only where it has content and is HTTP/1.1", () => {
    const waits = (line: string, ...lines: readonly string[]) => {
      const step = read(head(line, HOST, "Expect: 100-continue", ...lines));
      return step.kind === "absolute" && step.expectContinue;
    };
    assert.equal(waits(POST, "Content-Length: 1"), true);
    assert.equal(waits(POST, "Content-Length: 0"), false);
    assert.equal(waits(POST), false);
    assert.equal(waits(POST.replace("1.1", "1.0"), "Content-Length: 1"), false);
  });

  it("says whether another may follow", () => {
    const stays = (line: string, ...lines: readonly string[]) => {
      const step = read(head(line, HOST, ...lines));
      return step.kind === "absolute" && step.keepAlive;
    };
    assert.equal(stays(GET), true);
    assert.equal(stays(GET, "Connection: x, Close"), false);
    assert.equal(stays(GET.replace("1.1", "1.0"), "Connection: keep-alive"), false);
  });
});

const REFUSED: Readonly<Partial<Record<Reason, readonly string[]>>> = {
  REQUEST_SYNTAX: [
    "\r\n",
    `\r\n${head(CONNECT)}`,
    "\n",
    "\0",
    "\x16\x03\x01\x02\x00",
    "CONNECT  a.example:443 HTTP/1.1\r\n",
    "CONNECT a.example:443  HTTP/1.1\r\n",
    "CONNECT a.example:443 HTTP/1.1 \r\n",
    " CONNECT a.example:443 HTTP/1.1\r\n",
    "CONNECT\ta.example:443 HTTP/1.1\r\n",
    "CON NECT a.example:443 HTTP/1.1\r\n",
    "C(NNECT a.example:443 HTTP/1.1\r\n",
    " a.example:443 HTTP/1.1\r\n",
    `${CONNECT}\n\n`,
    `${CONNECT}\r\n\n`,
    `${CONNECT}\n\r\n`,
    `${CONNECT}\r\r\n`,
    `${CONNECT}\rX: y\r\n\r\n`,
    `${CONNECT}\r\nX: y\nHost: b.example\r\n\r\n`,
    `${CONNECT}\r\nX: y\rHost: b.example\r\n\r\n`,
    head(CONNECT, "X: a\0b"),
    head(CONNECT, "X: a\x7fb"),
    head(CONNECT, "X: a\x0bb"),
    head(CONNECT, "X: a\x1bb"),
    head(CONNECT, " X: y"),
    head(CONNECT, "\tX: y"),
    head(CONNECT, "X: y", " folded"),
    head(CONNECT, "X: y", "\tfolded"),
    head(CONNECT, "X : y"),
    head(CONNECT, "X\t: y"),
    head(CONNECT, ": y"),
    head(CONNECT, "X"),
    head(CONNECT, "X y: z"),
    head(CONNECT, "X(y): z"),
    head(CONNECT, "\xe9: z"),
    head(CONNECT, HOST, HOST),
    head(CONNECT, "Host: a.example", "Host: b.example"),
    head(GET),
    head(GET, HOST, HOST),
    head("GET http://a.example/a/../b HTTP/1.1", HOST),
    head("GET http://a.example/. HTTP/1.1", HOST),
    head("GET http://a.example/.. HTTP/1.1", HOST),
    head("GET http://a.example/a/%2E%2e/b HTTP/1.1", HOST),
    head("GET http://a.example/a/..%2fb HTTP/1.1", HOST),
    head("GET http://a.example/a%5c..%5Cb HTTP/1.1", HOST),
    head("GET http://a.example/a/..;x/b HTTP/1.1", HOST),
    head("GET http://a.example/a\\b HTTP/1.1", HOST),
    head("GET http://a.example/a#b HTTP/1.1", HOST),
    head("GET http://a.example/?a#b HTTP/1.1", HOST),
    head("GET http://a.example/%zz HTTP/1.1", HOST),
    head("GET http://a.example/%2 HTTP/1.1", HOST),
    head('GET http://a.example/" HTTP/1.1', HOST),
    head("GET http://a.example/\xe9 HTTP/1.1", HOST),
    head(POST, HOST, "Expect: 200-ok", "Content-Length: 1"),
    head(POST, HOST, "Expect: 100-continue, x", "Content-Length: 1"),
  ],
  REQUEST_VERSION: [
    "GET /\r\n",
    "GET http://a.example/\r\n",
    "CONNECT a.example:443\r\n",
    "CONNECT a.example:443 HTTP/0.9\r\n",
    "CONNECT a.example:443 HTTP/1.2\r\n",
    "CONNECT a.example:443 HTTP/2\r\n",
    "CONNECT a.example:443 HTTP/1.1x\r\n",
    "CONNECT a.example:443 http/1.1\r\n",
    "CONNECT a.example:443 \r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ],
  METHOD: [
    "GET / HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "GET a.example:80 HTTP/1.1\r\n",
    "GET https://a.example/ HTTP/1.1\r\n",
    "GET ftp://a.example/ HTTP/1.1\r\n",
    "GET http:/a.example/ HTTP/1.1\r\n",
    "GET http:a.example HTTP/1.1\r\n",
    "GET ws://a.example/ HTTP/1.1\r\n",
    "TRACE http://a.example/ HTTP/1.1\r\n",
    "PRI http://a.example/ HTTP/1.1\r\n",
    "get http://a.example/ HTTP/1.1\r\n",
    "connect a.example:443 HTTP/1.1\r\n",
    "PROPFIND http://a.example/ HTTP/1.1\r\n",
    head("OPTIONS http://a.example/ HTTP/1.1", HOST, "Max-Forwards: 0"),
  ],
  FRAMING: [
    head(POST, HOST, "Content-Length: 1", "Transfer-Encoding: chunked"),
    head(POST, HOST, "Transfer-Encoding: chunked", "Content-Length: 1"),
    head(POST, HOST, "Content-Length: 1", "Content-Length: 1"),
    head(POST, HOST, "Content-Length: 1", "Content-Length: 2"),
    head(POST, HOST, "Content-Length: 1, 1"),
    head(POST, HOST, "Content-Length: 01"),
    head(POST, HOST, "Content-Length: +1"),
    head(POST, HOST, "Content-Length: -1"),
    head(POST, HOST, "Content-Length: 0x1"),
    head(POST, HOST, "Content-Length: 1.0"),
    head(POST, HOST, "Content-Length: 1e1"),
    head(POST, HOST, "Content-Length: 1 1"),
    head(POST, HOST, "Content-Length:"),
    head(POST, HOST, "Content-Length: 9007199254740992"),
    head(POST, HOST, "Content-Length: 18446744073709551617"),
    head(POST, HOST, "Content-Length: \xb2"),
    head(POST, HOST, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    head(POST, HOST, "Transfer-Encoding: chunked, chunked"),
    head(POST, HOST, "Transfer-Encoding: chunked, identity"),
    head(POST, HOST, "Transfer-Encoding: gzip, chunked"),
    head(POST, HOST, "Transfer-Encoding: identity"),
    head(POST, HOST, "Transfer-Encoding: xchunked"),
    head(POST, HOST, "Transfer-Encoding: chunked;q=1"),
    head(POST, HOST, 'Transfer-Encoding: "chunked"'),
    head(POST, HOST, "Transfer-Encoding: \xa0chunked"),
    head(POST, HOST, "Transfer-Encoding:"),
    head(POST.replace("1.1", "1.0"), HOST, "Transfer-Encoding: chunked"),
    head(GET, HOST, "Content-Length: 1"),
    head(GET, HOST, "Transfer-Encoding: chunked"),
    head("HEAD http://a.example/ HTTP/1.1", HOST, "Content-Length: 1"),
    head(CONNECT, "Content-Length: 0"),
    head(CONNECT, "Content-Length: 5"),
    head(CONNECT, "Transfer-Encoding: chunked"),
    head(GET, HOST, "Connection: close, Host"),
    head(GET, HOST, "Connection: authorization"),
    head(POST, HOST, "Content-Length: 1", "Connection: content-length"),
    head(POST, HOST, "Transfer-Encoding: chunked", "Connection: transfer-encoding"),
  ],
  HOST_DIFFERENT: [
    head(CONNECT, "Host: b.example:443"),
    head(CONNECT, "Host: b.example"),
    head(CONNECT, "Host: a.example:80"),
    head(CONNECT, "Host:"),
    head(CONNECT, "Host: 127.0.0.1"),
    head(CONNECT, "Host: a.example, b.example"),
    head(CONNECT, "Host: a.example:443 b.example"),
    head(CONNECT, "Host: a.example@b.example:443"),
    head(GET, "Host: b.example"),
    head(GET, "Host: a.example:8080"),
    head(GET, "Host: http://a.example"),
    head(GET, "Host: [::1]"),
    head(GET, "Host:"),
    head(GET.replace("1.1", "1.0"), "Host: b.example"),
  ],
  IP_LITERAL: [
    "CONNECT 127.0.0.1:443 HTTP/1.1\r\n",
    "CONNECT [::1]:443 HTTP/1.1\r\n",
    "GET http://127.1/ HTTP/1.1\r\n",
    "GET http://[::ffff:127.0.0.1]:80/ HTTP/1.1\r\n",
    `CONNECT ${text(Buffer.from("１２７.0.0.1"))}:443 HTTP/1.1\r\n`,
  ],
  USERINFO: ["CONNECT u@a.example:443 HTTP/1.1\r\n", "GET http://u:p@a.example/ HTTP/1.1\r\n"],
  URL: ["CONNECT https://a.example:443 HTTP/1.1\r\n", "CONNECT /:443 HTTP/1.1\r\n"],
  AUTHORITY_FORM: ["CONNECT a.example HTTP/1.1\r\n"],
  PORT_INVALID: ["CONNECT a.example: HTTP/1.1\r\n", "GET http://a.example:/ HTTP/1.1\r\n"],
  PERCENT_ESCAPE: ["CONNECT a%2eexample:443 HTTP/1.1\r\n", "GET http://a%00.example/ HTTP/1.1\r\n"],
  NAME_INVALID: ["GET http:///x HTTP/1.1\r\n", "CONNECT localhost:443 HTTP/1.1\r\n"],
  NAME_IDNA: [`CONNECT ${text(Buffer.from("bücher.example"))}:443 HTTP/1.1\r\n`],
};

for (const [reason, heads] of Object.entries(REFUSED)) {
  describe(`refused as ${reason}`, () => {
    for (const bytes of heads) {
      it(JSON.stringify(bytes).slice(0, 100), () => {
        assert.equal(refusal(bytes), reason);
      });
    }
  });
}

describe("the limit of a head", () => {
  const whole = head(CONNECT, HOST);

  it("lets a head of exactly its length pass, and what comes behind it", () => {
    const step = read(`${whole}more`, { maxHeaderBytes: whole.length });
    assert.equal(step.kind === "connect" && text(step.rest), "more");
  });

  it("refuses one byte more, at the byte that fills it", () => {
    const reader = createRequestReader({ maxHeaderBytes: whole.length - 1 });
    const bytes = octets(whole);
    assert.deepEqual(reader.push(bytes.subarray(0, -2)), { kind: "more" });
    assert.deepEqual(reader.push(bytes.subarray(-2, -1)), {
      kind: "refused",
      reason: "HEADER_TOO_LARGE",
    });
  });

  it("is judged after a fault before it, and before a fault behind it", () => {
    const max = { maxHeaderBytes: 40 };
    assert.deepEqual(read(`${CONNECT}\r\nX: \0${"a".repeat(100)}`, max), {
      kind: "refused",
      reason: "REQUEST_SYNTAX",
    });
    assert.deepEqual(read(`${CONNECT}\r\nX: ${"a".repeat(100)}\0`, max), {
      kind: "refused",
      reason: "HEADER_TOO_LARGE",
    });
  });
});

describe("a reader that is done", () => {
  it("takes no further bytes", () => {
    for (const bytes of [head(CONNECT), "\0"]) {
      const reader = createRequestReader(LIMITS);
      reader.push(octets(bytes));
      assert.throws(() => reader.push(octets("x")), RangeError);
    }
  });
});
