import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import type { Fault } from "../arming/model.js";
import { ask } from "../testing/ask.js";
import { startBytes } from "../testing/bytes.js";
import { ALIAS, startTestProxy } from "../testing/proxy.js";
import { startUpstream } from "../testing/upstream.js";

const BODY = JSON.stringify({ id: 3, descr: "a description that takes some room", apply: false });
const patch = (port: number, giveUpOn?: Promise<unknown>) =>
  ask(port, "PATCH", ALIAS, { body: BODY, ...(giveUpOn === undefined ? {} : { giveUpOn }) });

describe("each fault, beside the same request without it", () => {
  it("clean: what is asked and answered is what passes", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "pass" });
    for (const took of [["pass"], undefined]) {
      const answer = await patch(port);
      assert.deepEqual(
        [answer.kind, answer.kind === "answered" && answer.whole],
        ["answered", true],
      );
      const record = (await settled()).at(-1);
      assert.deepEqual(record?.fault?.took, took);
      const { outcome, delivered, status, copies } = record ?? {};
      assert.deepEqual(
        { outcome, delivered, status, copies },
        {
          ...{ outcome: "answered", delivered: "proven", status: 200, copies: 1 },
        },
      );
    }
    assert.deepEqual(
      upstream.committed.map(({ body }) => body),
      [BODY, BODY],
    );
  });

  it("reset before any byte: the client is reset, the upstream sees no connection", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "reset-before" });
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    assert.equal(upstream.connections(), 0);
    assert.equal((await patch(port)).kind, "answered");
    const [faulted, control] = await settled();
    assert.deepEqual(
      [faulted?.outcome, faulted?.delivered, faulted?.status],
      ["reset", "proven-not", null],
    );
    assert.deepEqual([control?.outcome, control?.delivered], ["answered", "proven"]);
  });

  it("reset mid-upload: so many bytes reach the upstream, which commits nothing", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    // The head is less than 200 bytes; more than there is means all but the last.
    for (const [afterBytes, heads] of [
      [0, 0],
      [10, 0],
      [200, 1],
      [100_000, 2],
    ] as const) {
      arm("mutation", { kind: "reset-upload", afterBytes });
      assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
      const record = (await settled()).at(-1);
      assert.deepEqual(
        [record?.outcome, record?.delivered, record?.copies],
        ["reset", "proven-not", 0],
      );
      assert.deepEqual([upstream.heads(), upstream.committed.length], [heads, 0], `${afterBytes}`);
      assert.deepEqual(record?.fault?.took, ["reset-upload"]);
    }
    assert.equal((await patch(port)).kind, "answered");
    assert.deepEqual([upstream.heads(), upstream.committed.length], [3, 1]);
  });

  it("a response dropped after the commit: the upstream has done it, the client isn't told", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled, until } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "drop-response" });
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    // When the client is reset the upstream has committed, not some time after.
    assert.equal(upstream.committed.length, 1);
    arm("mutation", { kind: "drop-response", ending: "silence" });
    assert.deepEqual(
      await patch(
        port,
        until(({ seq, status }) => seq === 2 && status === 200),
      ),
      { kind: "failed", code: "GAVE_UP" },
    );
    assert.equal((await patch(port)).kind, "answered");
    const records = await settled();
    assert.deepEqual(
      records.map(({ outcome, delivered, status }) => [outcome, delivered, status]),
      [
        ["dropped", "proven", 200],
        ["dropped", "proven", 200],
        ["answered", "proven", 200],
      ],
    );
    assert.equal(upstream.committed.length, 3);
  });

  it("a response that says no commit isn't dropped, and the log says that nothing took", async (t) => {
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => response.writeHead(422).end("no"),
    });
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "drop-response" });
    const answer = await patch(port);
    assert.deepEqual([answer.kind, answer.kind === "answered" && answer.status], ["answered", 422]);
    const [record] = await settled();
    assert.deepEqual(
      [record?.outcome, record?.fault?.kinds, record?.fault?.took],
      [...["answered", ["drop-response"], []]],
    );
  });

  for (const chunked of [false, true])
    it(`a truncated response${chunked ? " in chunks" : ""} is known to be cut`, async (t) => {
      const text = "0123456789".repeat(1000);
      const upstream = await startUpstream(t, {
        answer: (_seen, response) => {
          if (!chunked) response.setHeader("Content-Length", text.length);
          response.write(text.slice(0, 100));
          response.end(text.slice(100));
        },
      });
      const { port, arm, settled } = await startTestProxy(t, upstream.port);
      for (const [afterBytes, length] of [
        [0, 0],
        [7, 7],
        [100_000, chunked ? text.length : text.length - 1],
      ] as const) {
        arm("mutation", { kind: "truncate-response", afterBytes });
        const answer = await patch(port);
        assert(answer.kind === "answered");
        assert.deepEqual([answer.whole, answer.body], [false, text.slice(0, length)]);
        const record = (await settled()).at(-1);
        assert.deepEqual([record?.outcome, record?.delivered], ["truncated", "proven"]);
      }
      const control = await patch(port);
      assert(control.kind === "answered" && control.whole && control.body === text);
    });

  it("a response without a body is truncated to nothing", async (t) => {
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => response.writeHead(204).end(),
    });
    const { port, arm } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "truncate-response", afterBytes: 5 });
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    assert.equal((await patch(port)).kind, "answered");
  });

  it("delayed: the request, or the answer, for as long as was said", async (t) => {
    let reached = 0;
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => {
        reached = performance.now();
        response.end();
      },
    });
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    const timed = async (...faults: readonly Fault[]) => {
      if (faults.length > 0) arm("mutation", ...faults);
      const start = performance.now();
      const answer = await patch(port);
      const end = performance.now();
      assert.equal(answer.kind, "answered");
      return { before: reached - start, after: end - reached };
    };
    await timed();
    const plain = await timed();
    assert(plain.before < 700 && plain.after < 700, JSON.stringify(plain));
    const request = await timed({ kind: "delay", direction: "request", ms: 1_000 });
    assert(request.before >= 999 && request.after < 700, JSON.stringify(request));
    const response = await timed({ kind: "delay", direction: "response", ms: 1_000 });
    assert(response.before < 700 && response.after >= 999, JSON.stringify(response));
    const took = (await settled()).map(({ fault }) => fault?.took ?? null);
    assert.deepEqual(took, [null, null, ["delay"], ["delay"]]);
  });

  it("a time-out of the request: nothing arrives, whether the client or the proxy ends it", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled, until } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "timeout", direction: "request" });
    assert.deepEqual(
      await patch(
        port,
        until(({ seq }) => seq === 1),
      ),
      { kind: "failed", code: "GAVE_UP" },
    );
    arm("mutation", { kind: "timeout", direction: "request", ms: 100 });
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    assert.equal(upstream.connections(), 0);
    assert.equal((await patch(port)).kind, "answered");
    const records = await settled();
    assert.deepEqual(
      records.map(({ outcome, delivered }) => [outcome, delivered]),
      [
        ["timed-out", "proven-not"],
        ["timed-out", "proven-not"],
        ["answered", "proven"],
      ],
    );
  });

  it("a time-out of the response: it was possibly delivered, and here it was", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    arm("mutation", { kind: "timeout", direction: "response" });
    assert.deepEqual(await patch(port, upstream.arrived(1)), { kind: "failed", code: "GAVE_UP" });
    const [record] = await settled();
    assert.deepEqual(
      [record?.outcome, record?.delivered, record?.status],
      ["timed-out", "possibly", null],
    );
    assert.equal(upstream.committed.length, 1);
    assert.equal((await patch(port)).kind, "answered");
  });

  it("duplicate delivery: the upstream gets it so often, the client the first answer", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    for (const [copies, total] of [
      [2, 2],
      [3, 5],
    ] as const) {
      arm("mutation", { kind: "duplicate", copies });
      const answer = await patch(port);
      assert(answer.kind === "answered");
      assert.equal(answer.body, `answer ${total - copies + 1} to ${BODY}`);
      assert.equal(upstream.committed.length, total);
      assert.equal((await settled()).at(-1)?.copies, copies);
    }
    await patch(port);
    assert.equal(upstream.committed.length, 6);
  });

  it("composed: late, twice, and then not told", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm, settled } = await startTestProxy(t, upstream.port);
    arm(
      "mutation",
      { kind: "drop-response" },
      { kind: "duplicate" },
      { kind: "delay", direction: "request", ms: 120 },
    );
    const start = performance.now();
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    assert(performance.now() - start >= 119);
    const [record] = await settled();
    assert.deepEqual(record?.fault?.took, ["delay", "duplicate", "drop-response"]);
    assert.deepEqual([record?.copies, record?.delivered], [2, "proven"]);
    assert.equal(upstream.committed.length, 2);
  });
});

describe("what happens without being injected", () => {
  it("nobody listens at the upstream: proven not delivered, and the client is reset", async (t) => {
    const upstream = await startUpstream(t);
    const closed = connect(upstream.port, "127.0.0.1");
    closed.destroy();
    const { port, settled } = await startTestProxy(t, 1);
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    const [record] = await settled();
    assert.deepEqual([record?.outcome, record?.delivered], ["upstream-unreachable", "proven-not"]);
  });

  it("the upstream changes to another protocol unasked: possibly delivered", async (t) => {
    const { port: upstream } = await startBytes(t, (socket) => {
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
      );
    });
    const { port, settled } = await startTestProxy(t, upstream);
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    const [record] = await settled();
    assert.deepEqual([record?.outcome, record?.delivered], ["upstream-failed", "possibly"]);
  });

  it("the upstream dies with the whole request and no answer: possibly delivered", async (t) => {
    const upstream = await startUpstream(t, { answer: (_seen, response) => response.destroy() });
    const { port, settled } = await startTestProxy(t, upstream.port);
    assert.deepEqual(await patch(port), { kind: "failed", code: "ECONNRESET" });
    const [record] = await settled();
    assert.deepEqual([record?.outcome, record?.delivered], ["upstream-failed", "possibly"]);
  });

  it("the upstream dies amid its answer: the client sees that it isn't all", async (t) => {
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => {
        response.setHeader("Content-Length", 100);
        response.write("half", () => response.destroy());
      },
    });
    const { port, settled } = await startTestProxy(t, upstream.port);
    const answer = await patch(port);
    assert(answer.kind === "failed" || !answer.whole);
    const [record] = await settled();
    assert.deepEqual([record?.outcome, record?.delivered], ["upstream-failed", "proven"]);
  });

  it("the client gives up: what was handed over is still seen to arrive", async (t) => {
    let answer: () => void = () => undefined;
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => {
        answer = () => response.end();
      },
    });
    const { port, settled } = await startTestProxy(t, upstream.port);
    assert.deepEqual(await patch(port, upstream.arrived(1)), { kind: "failed", code: "GAVE_UP" });
    answer();
    const [record] = await settled();
    assert.deepEqual([record?.outcome, record?.delivered], ["client-gone", "proven"]);
  });
});
