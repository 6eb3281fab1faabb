import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openClient, openTunnel, readHead, startRecorder } from "../testing/broker-lab.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { API, allOf, echo, HERE, lab, NETWORK, OTHER, SIX } from "./testing/names.js";

enterPrivateNetwork(import.meta.url, NETWORK);

describe("a CONNECT", () => {
  it("opens a tunnel to a granted authority and to nothing else", async (t) => {
    const { port, dns, receipts } = await lab(t);
    const upstream = await startRecorder(t, HERE, 9000, echo);
    const elsewhere = await startRecorder(t, OTHER, 9000);
    const opened = await openTunnel(t, port, `${API}:9000`);
    assert.equal(opened.answer.head, "HTTP/1.1 200 Connection Established\r\n\r\n");
    opened.socket.end("echo");
    assert.equal(await allOf(opened.socket), "echo");
    const asked = dns.queries.length;
    const cases = [
      ["other.example.com:9000", "AUTHORITY_NOT_GRANTED"],
      [`${API}:9001`, "PORT_NOT_GRANTED"],
      [`${OTHER}:9000`, "IP_LITERAL"],
      ["2130706433:9000", "IP_LITERAL"],
      ["[::1]:9000", "IP_LITERAL"],
      [`user@${API}:9000`, "USERINFO"],
      ["*.example.com:9000", "WILDCARD"],
      [`${API}:09000`, "PORT_INVALID"],
      ["localhost:9000", "NAME_INVALID"],
    ] as const;
    const times: number[] = [];
    for (const [authority, reason] of cases) {
      const started = performance.now();
      const { answer, socket } = await openTunnel(t, port, authority);
      assert.deepEqual([answer.status, answer.reason], [403, reason], authority);
      times.push(performance.now() - started);
      const body = await allOf(socket);
      const [, length] = /Content-Length: ([0-9]+)/.exec(answer.head) ?? [];
      assert.equal(body.length, Number(length));
      assert.doesNotMatch(answer.head + body, /[0-9]{1,3}(\.[0-9]{1,3}){3}|::/);
    }
    // Of several, since a busy machine may stop any one of them for longer.
    const [fastest = 50] = times.sort((a, b) => a - b);
    assert.ok(fastest < 50, `the fastest refusal took ${fastest} ms`);
    assert.equal(dns.queries.length, asked, "nothing was looked up for a refusal");
    assert.deepEqual([upstream.connections, elsewhere.connections], [1, 0]);
    const decisions = receipts.filter(({ kind }) => kind === "decision");
    assert.equal(decisions.length, cases.length + 1);
  });

  it("leaves one receipt of the decision and one of the end, with what was done", async (t) => {
    const { port, receipts, receipt, broker } = await lab(t);
    await startRecorder(t, HERE, 9000, echo);
    const { socket } = await openTunnel(t, port, `API.Example.COM.:9000`);
    socket.end("12345");
    await allOf(socket);
    await receipt(({ kind }) => kind === "closed");
    const [decision, closed, ...more] = receipts;
    assert.deepEqual(more, []);
    assert(decision?.kind === "decision" && closed?.kind === "closed");
    const { lookupMs, connectMs, ...known } = decision;
    assert.ok(lookupMs >= 0 && connectMs >= 0);
    assert.deepEqual(known, {
      kind: "decision",
      connection: 1,
      form: "connect",
      authority: { host: API, port: 9000 },
      protocol: "tcp-opaque",
      reason: "GRANTED",
      line: 7,
      addresses: 1,
      addressClass: "global",
      address: HERE,
      answer: "asked",
      answerAgeMs: 0,
      queries: 2,
    });
    const { durationMs, ...rest } = closed;
    assert.ok(durationMs >= 0);
    assert.deepEqual(rest, {
      kind: "closed",
      connection: 1,
      authority: { host: API, port: 9000 },
      protocol: "tcp-opaque",
      reason: "CLOSED",
      serverName: "not-asked",
      up: 5,
      down: 5,
      finding: null,
    });
    assert.deepEqual([broker.counters.bytesUp, broker.counters.denied], [5, 0]);
  });

  it("is refused for an answer that isn't global, empty or absent, and nothing is dialled", async (t) => {
    const { port, receipts } = await lab(t, { limits: { connectTimeoutMs: 1_000 } });
    const upstream = await startRecorder(t, HERE, 443, echo);
    const cases = [
      ["private.example.com:443", "ADDRESS_NOT_GLOBAL"],
      ["empty.example.com:443", "DNS_EMPTY"],
      ["unknown.example.com:443", "DNS_NO_NAME"],
      ["gone.example.com:443", "CONNECT_REFUSED"],
      ["silent.example.com:443", "CONNECT_TIMEOUT"],
    ] as const;
    for (const [authority, reason] of cases) {
      const { answer } = await openTunnel(t, port, authority);
      assert.deepEqual([answer.status, answer.reason], [403, reason], authority);
    }
    assert.equal(upstream.connections, 0);
    const [first] = receipts;
    assert(first?.kind === "decision");
    assert.deepEqual(
      [first.addresses, first.addressClass, first.address],
      [2, "Private-Use", null],
    );
    const { answer } = await openTunnel(t, port, `${API}:443`);
    assert.equal(answer.status, 200);
  });

  it("dials the judged addresses in their order, over IPv4 and IPv6", async (t) => {
    const { port, receipts } = await lab(t);
    const six = await startRecorder(t, SIX, 9000, echo);
    for (const host of ["six.example.com", "both.example.com"]) {
      const { answer, socket } = await openTunnel(t, port, `${host}:9000`);
      assert.equal(answer.status, 200, host);
      socket.end("six");
      assert.equal(await allOf(socket), "six");
    }
    assert.equal(six.connections, 2);
    for (const receipt of receipts) {
      if (receipt.kind === "decision") assert.equal(receipt.address, SIX);
    }
  });

  it("may bring the tunnel's first bytes along, and half-close", async (t) => {
    const { port } = await lab(t);
    await startRecorder(t, HERE, 9000, echo);
    const socket = openClient(t, port);
    socket.end(`CONNECT ${API}:9000 HTTP/1.1\r\nHost: ${API}:9000\r\n\r\nearly`);
    await readHead(socket);
    assert.equal(await allOf(socket), "early");
  });

  it("has a limit of bytes and of time for its head", async (t) => {
    const limits = { maxHeaderBytes: 1024, headerTimeoutMs: 1_000 };
    const { port, receipts } = await lab(t, { limits });
    await startRecorder(t, HERE, 9000, echo);
    const head = (filling: number): string =>
      `CONNECT ${API}:9000 HTTP/1.1\r\nHost: ${API}:9000\r\nX: ${"x".repeat(filling)}\r\n\r\n`;
    const fits = 1024 - head(0).length;
    assert.equal((await readHead(openClient(t, port, head(fits)))).status, 200);
    assert.equal((await readHead(openClient(t, port, head(fits + 1)))).reason, "HEADER_TOO_LARGE");
    // A client that sends far more gets its answer too, not a reset.
    const flood = openClient(t, port, head(200_000));
    assert.equal((await readHead(flood)).reason, "HEADER_TOO_LARGE");
    const slow = openClient(t, port, "CONNECT ");
    const timer = setInterval(() => slow.write("x"), 50);
    t.after(() => clearInterval(timer));
    assert.equal((await readHead(slow)).reason, "HEADER_TIMEOUT");
    assert.equal((await readHead(openClient(t, port))).reason, "HEADER_TIMEOUT");
    // Who goes away without asking has nothing decided for him.
    const before = receipts.length;
    openClient(t, port).end();
    openClient(t, port, "CONN").resetAndDestroy();
    await openTunnel(t, port, "x:1");
    assert.equal(receipts.length, before + 1);
  });
});
