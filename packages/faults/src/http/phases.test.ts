import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { ask } from "../testing/ask.js";
import { ALIAS, startTestProxy, type TestProxy } from "../testing/proxy.js";
import { startUpstream } from "../testing/upstream.js";

const READ = "/api/v2/firewall/aliases?name=LAB_SECRET&limit=500";
const read = (port: number, giveUpOn?: Promise<unknown>) =>
  ask(port, "GET", READ, giveUpOn === undefined ? {} : { giveUpOn });
const patch = (port: number) => ask(port, "PATCH", ALIAS, { body: "{}" });

describe("phases on the wire", () => {
  it("trap: a time-out during read-back hits the GET behind the PATCH, not the first request", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled, until } = await startTestProxy(t, upstream.port);
    arm("readback", { kind: "timeout", direction: "response" });
    assert.equal((await read(port)).kind, "answered");
    assert.equal((await patch(port)).kind, "answered");
    const sent = until(({ seq, copies }) => seq === 3 && copies === 1);
    assert.deepEqual(await read(port, sent), { kind: "failed", code: "GAVE_UP" });
    assert.equal((await read(port)).kind, "answered");
    assert.deepEqual(
      (await settled()).map(({ phase, outcome }) => [phase, outcome]),
      [
        ["pre-send-read", "answered"],
        ["mutation", "answered"],
        ["readback", "timed-out"],
        ["readback", "answered"],
      ],
    );
  });

  it("each phase is hit by its own fault and by no other", async (t) => {
    const upstream = await startUpstream(t);
    const { proxy, port, arm, settled } = await startTestProxy(t, upstream.port);
    const cycle = async () => {
      proxy.tell({ type: "begin", operation: "forward" });
      const forward = [await read(port), await patch(port), await read(port)];
      proxy.tell({ type: "begin", operation: "rollback" });
      return [...forward, await read(port), await patch(port), await read(port)];
    };
    const phases = [
      ...(["pre-send-read", "mutation", "readback"] as const),
      ...(["pre-rollback-read", "rollback", "rollback-readback"] as const),
    ];
    for (const [at, phase] of phases.entries()) {
      arm(phase, { kind: "reset-before" });
      const kinds = (await cycle()).map(({ kind }) => kind);
      assert.deepEqual(
        kinds,
        phases.map((_, index) => (index === at ? "failed" : "answered")),
        phase,
      );
    }
    assert((await cycle()).every(({ kind }) => kind === "answered"));
    assert.deepEqual(
      (await settled()).slice(-6).map(({ phase }) => phase),
      phases,
    );
  });

  it("two that come at once are each one phase's, and one of them fires", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "reset-before" });
    const answers = await Promise.all([patch(port), patch(port), patch(port)]);
    assert.deepEqual(answers.map(({ kind }) => kind).sort(), ["answered", "answered", "failed"]);
  });
});

describe("past the deadline", () => {
  it("a mutation doesn't reach the upstream, a read does, and before it both do", async (t) => {
    const upstream = await startUpstream(t);
    const { proxy, port, settled } = await startTestProxy(t, upstream.port);
    assert.equal((await patch(port)).kind, "answered");
    proxy.tell({ type: "deadline", mutationsUntil: 0 });
    const refused = await patch(port);
    assert(refused.kind === "answered");
    // Not a 403: that is what an appliance proves a revoked permission with.
    assert.deepEqual(
      [refused.status, JSON.parse(refused.body)],
      [503, { error: "MUTATION_DEADLINE", status: 503, by: "fault-proxy" }],
    );
    assert.equal((await read(port)).kind, "answered");
    assert.deepEqual(
      upstream.committed.map(({ method }) => method),
      ["PATCH", "GET"],
    );
    const record = (await settled())[1];
    assert.deepEqual([record?.outcome, record?.delivered], ["refused-deadline", "proven-not"]);
  });
});

describe("a deadline that passes meanwhile", () => {
  it("keeps back a mutation that was delayed, and one that wasn't received whole, and no read", async (t) => {
    const upstream = await startUpstream(t);
    const { proxy, port, arm, settled, until } = await startTestProxy(t, upstream.port);
    const delay = { kind: "delay", direction: "request", ms: 300 } as const;
    arm("mutation", delay);
    arm("pre-send-read", delay);
    const delayedRead = read(port);
    await until(({ seq }) => seq === 1);
    const delayed = patch(port);
    await until(({ seq }) => seq === 2);
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.write(`PATCH ${ALIAS} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{`);
    await until(({ seq }) => seq === 3);
    proxy.tell({ type: "deadline", mutationsUntil: 0 });
    socket.write("}");
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 503 [\s\S]*MUTATION_DEADLINE/);
    const refused = await delayed;
    assert.deepEqual(refused.kind === "answered" && refused.status, 503);
    assert.equal((await delayedRead).kind, "answered");
    assert.deepEqual(
      upstream.committed.map(({ method }) => method),
      ["GET"],
    );
    assert.deepEqual(
      (await settled()).map(({ outcome, delivered }) => [outcome, delivered]),
      [
        ["answered", "proven"],
        ["refused-deadline", "proven-not"],
        ["refused-deadline", "proven-not"],
      ],
    );
  });

  it("keeps back what is left of a duplicate, whose first copy is answered", async (t) => {
    let proxy: TestProxy["proxy"] | null = null;
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => {
        proxy?.tell({ type: "deadline", mutationsUntil: 0 });
        response.end();
      },
    });
    const started = await startTestProxy(t, upstream.port);
    proxy = started.proxy;
    started.arm("mutation", { kind: "duplicate", copies: 3 });
    const answer = await patch(started.port);
    assert.deepEqual(answer.kind === "answered" && answer.status, 200);
    assert.equal(upstream.committed.length, 1);
    const [record] = await started.settled();
    assert.deepEqual([record?.copies, record?.delivered, record?.fault?.took], [1, "proven", []]);
  });
});

describe("the log", () => {
  it("holds no value of a request or an answer", async (t) => {
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => {
        response.setHeader("X-Secret", "planted-answer-header");
        response.end("planted-answer-body");
      },
    });
    const { port, settled } = await startTestProxy(t, upstream.port);
    const headers = { "X-API-Key": "planted-key" };
    await ask(port, "GET", READ, { headers });
    await ask(port, "GET", "/things/planted-name?x=planted", { headers });
    await ask(port, "GET", "/planted/segment", { headers });
    await ask(port, "PATCH", ALIAS, { headers, body: "planted-body" });
    const log = await settled();
    assert.deepEqual(
      log.map(({ path }) => path),
      ["/api/v2/firewall/aliases", "/things/{name}", "{unlisted}", ALIAS],
    );
    assert.doesNotMatch(JSON.stringify(log), /planted|SECRET/i);
    // The control: all of it passed.
    assert.match(JSON.stringify(upstream.committed), /planted-key.*planted-body/);
  });
});

describe("what passes", () => {
  it("are names, values and their order, without what is of one connection", async (t) => {
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => {
        response.setHeader("Set-Cookie", ["a=1", "b=2"]);
        response.setHeader("Connection", "x-hop");
        response.setHeader("X-Hop", "1");
        response.end();
      },
    });
    const { port } = await startTestProxy(t, upstream.port);
    const headers = { "x-B": "2", "X-a": "1", Connection: "close, x-mine", "X-Mine": "hop" };
    await ask(port, "POST", "/any", { headers, body: "\u00ff\u0000body" });
    const [seen] = upstream.committed;
    const names = seen?.headers.filter((_, at) => at % 2 === 0);
    assert.deepEqual(names, ["x-B", "X-a", "Host", "Content-Length", "Connection"]);
    assert.equal(seen?.body, Buffer.from("\u00ff\u0000body").toString("latin1"));
  });

  it("isn't a request that is too large, nor one in another form", async (t) => {
    const upstream = await startUpstream(t);
    const { port, settled } = await startTestProxy(t, upstream.port);
    const large = await ask(port, "PATCH", ALIAS, { body: "x".repeat(1024 * 1024 + 1) });
    assert(large.kind === "failed" || large.status === 413);
    assert.equal(
      (await ask(port, "PATCH", ALIAS, { body: "x".repeat(1024 * 1024) })).kind,
      "answered",
    );
    const form = await ask(port, "GET", "http://other.example/");
    assert.deepEqual(form.kind === "answered" && form.status, 400);
    assert.equal(upstream.committed.length, 1);
    assert.deepEqual((await settled())[0]?.outcome, "refused-too-large");
  });
});
