import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBodyReader } from "./body-reader.js";
import { createRequestReader } from "./request-reader.js";
import { createResponseReader } from "./response-reader.js";
import { driveBody, octets, text } from "./testing/drive.js";
import { encodeChunk, LAST_CHUNK, writeRequestHead, writeResponseHead } from "./write-head.js";

const LIMITS = { maxHeaderBytes: 4096 };

describe("the head that the upstream gets", () => {
  const forwarded = (bytes: string): string => {
    const step = createRequestReader(LIMITS).push(octets(bytes));
    assert.ok(step.kind === "absolute");
    return text(writeRequestHead(step));
  };

  it("is origin-form to the granted authority, for this one request", () => {
    assert.equal(
      forwarded(
        "POST http://A.Example:8080/x?y HTTP/1.0\r\nHost: a.example.:8080\r\nContent-Length: 3\r\n" +
          "X-Y: z\r\nExpect: 100-continue\r\nProxy-Authorization: Basic x\r\nUpgrade: h2c\r\n\r\n",
      ),
      "POST /x?y HTTP/1.1\r\nhost: a.example:8080\r\nx-y: z\r\nvia: 1.1 drydock\r\n" +
        "content-length: 3\r\nconnection: close\r\n\r\n",
    );
  });

  it("leaves out the default port, an absent query and the body's absent framing", () => {
    assert.equal(
      forwarded("GET http://a.example HTTP/1.1\r\nHost: a.example:80\r\n\r\n"),
      "GET / HTTP/1.1\r\nhost: a.example\r\nvia: 1.1 drydock\r\nconnection: close\r\n\r\n",
    );
  });
});

describe("the head that the client gets", () => {
  it("has the broker's framing and says what becomes of the connection", () => {
    const step = createResponseReader(LIMITS, "GET").push(
      octets("HTTP/1.0 200 OK\r\nX-Y: \xe9\r\nConnection: x-z\r\nX-Z: 1\r\n\r\n"),
    );
    assert.ok(step.kind === "response");
    assert.equal(
      text(writeResponseHead({ ...step, body: { kind: "chunked" } }, "keep-alive")),
      "HTTP/1.1 200 OK\r\nx-y: \xe9\r\nvia: 1.1 drydock\r\ntransfer-encoding: chunked\r\n" +
        "connection: keep-alive\r\n\r\n",
    );
    assert.match(text(writeResponseHead(step, "close")), /\r\nconnection: close\r\n\r\n$/);
  });
});

describe("chunks of the broker's making", () => {
  it("are read back as what was sent, and no bytes make no chunk", () => {
    const sent = ["hello", "", "x".repeat(300)].flatMap((part) => encodeChunk(octets(part)));
    assert.deepEqual(driveBody(createBodyReader({ kind: "chunked" }), [...sent, LAST_CHUNK]), {
      outcome: "end",
      content: `hello${"x".repeat(300)}`,
      rest: "",
    });
  });
});
