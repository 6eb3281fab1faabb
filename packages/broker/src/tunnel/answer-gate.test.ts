import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createHelloReader, HELLO_LIMITS } from "../hello/index.js";
import { clientHello, filler, record, serverHello, sni } from "../hello/testing/build-hello.js";
import { createAnswerGate } from "./answer-gate.js";
import type { Gate, GateStep } from "./model.js";

const authority = { host: "api.example.com", port: 443 };
const EARLY_DATA = 42;

const gateFor = (hello: Buffer): Gate => {
  const step = createHelloReader(HELLO_LIMITS).push(hello);
  assert(step.kind === "hello");
  return createAnswerGate({ authority, allowEch: false, ...step });
};

const up = (step: GateStep): string =>
  step.kind === "pass" || step.kind === "open"
    ? Buffer.concat(step.toUpstream).toString("latin1")
    : "";

const first = clientHello({ extensions: [sni(authority.host)] });

describe("after a bound ClientHello", () => {
  it("the client waits until the server has answered, then everything passes", () => {
    const gate = gateFor(Buffer.concat([first, Buffer.from("behind")]));
    const start = gate.start();
    assert.equal(up(start), first.toString("latin1"));
    assert(start.kind === "pass" && start.read === "upstream");
    const answer = serverHello(false);
    const part = gate.fromUpstream(answer.subarray(0, 20));
    assert(part.kind === "pass" && part.read === "upstream" && up(part) === "");
    const open = gate.fromUpstream(answer.subarray(20));
    assert.equal(open.kind, "open");
    assert.equal(up(open), "behind");
  });

  it("a second one after a HelloRetryRequest has to name the same server", () => {
    const cases = [
      [authority.host, "open"],
      ["other.example.com", "SNI_DIFFERENT"],
    ] as const;
    for (const [name, expected] of cases) {
      const second = Buffer.concat([record(20, [1]), clientHello({ extensions: [sni(name)] })]);
      const asked = gateFor(first);
      const retry = asked.fromUpstream(serverHello(true));
      assert(retry.kind === "pass" && retry.read === "both" && up(retry) === "");
      const half = asked.fromClient(second.subarray(0, 40));
      assert.equal(up(half), "");
      const step = asked.fromClient(second.subarray(40));
      assert.equal(step.kind === "refused" ? step.reason : step.kind, expected);
      if (expected === "open") assert.equal(up(step), second.toString("latin1"));

      // Sent ahead of the server's answer it is held back just the same.
      const ahead = gateFor(Buffer.concat([first, second]));
      assert.equal(up(ahead.start()), first.toString("latin1"));
      const answered = ahead.fromUpstream(serverHello(true));
      assert.equal(answered.kind === "refused" ? answered.reason : answered.kind, expected);
    }
  });

  it("a second one is found behind early data, which only an announced one may have", () => {
    const other = clientHello({ extensions: [sni("other.example.com")] });
    const data = record(23, [1, 2, 3]);
    const early = clientHello({ extensions: [sni(authority.host), filler(EARLY_DATA, 0)] });
    const cases = [
      [early, "SNI_DIFFERENT"],
      [first, "HELLO_NOT_TLS"],
    ] as const;
    for (const [hello, expected] of cases) {
      const gate = gateFor(Buffer.concat([hello, data, other]));
      const step = gate.fromUpstream(serverHello(true));
      assert.equal(step.kind === "refused" ? step.reason : step.kind, expected);
    }
  });
});
