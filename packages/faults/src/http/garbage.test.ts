import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { ask } from "../testing/ask.js";
import { exchange } from "../testing/bytes.js";
import { ALIAS, startTestProxy } from "../testing/proxy.js";
import { startUpstream } from "../testing/upstream.js";

const HEAD = `PATCH ${ALIAS} HTTP/1.1\r\nHost: a\r\n`;

/** Each could be read as another request, or as one more, by somebody who reads less strictly. */
const AMBIGUOUS: readonly string[] = [
  `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  `${HEAD}Content-Length: +2\r\n\r\n{}`,
  `${HEAD}Content-Length : 2\r\n\r\n{}`,
  `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  `${HEAD}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n`,
  `${HEAD}X: a\u0000b\r\nContent-Length: 2\r\n\r\n{}`,
  `${HEAD} folded: 1\r\nContent-Length: 2\r\n\r\n{}`,
  `PATCH ${ALIAS} HTTP/2.0\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`,
  `PATCH ${ALIAS} HTTP/0.9\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`,
  `PATCH ${ALIAS} HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}`,
  `CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`,
  `${HEAD}X: ${"a".repeat(17_000)}\r\nContent-Length: 2\r\n\r\n{}`,
];

describe("what is no request", () => {
  it("or could be two, reaches nobody, and the next one passes", async (t) => {
    const upstream = await startUpstream(t);
    const { port, settled } = await startTestProxy(t, upstream.port);
    for (const bytes of AMBIGUOUS) {
      await exchange(port, Buffer.from(bytes, "latin1"), { half: false, openMs: 1_000 });
      assert.equal(upstream.heads(), 0, JSON.stringify(bytes));
    }
    assert((await settled()).every(({ delivered }) => delivered === "proven-not"));
    const plain = `${HEAD}Connection: close\r\nContent-Length: 2\r\n\r\n{}`;
    const { bytes } = await exchange(port, Buffer.from(plain), { half: false });
    assert.match(bytes.toString(), /^HTTP\/1\.1 200 /);
    assert.equal(upstream.committed.length, 1);
    // RFC 9112 §3 lets words be further apart. Nobody behind the proxy sees it: what it read it
    // writes anew.
    const loose = plain.replace(" ", "  ");
    await exchange(port, Buffer.from(loose), { half: false });
    const [first, ...others] = upstream.committed;
    assert.deepEqual(others, [first]);
  });

  it("whatever bytes come, the proxy goes on", async (t) => {
    const upstream = await startUpstream(t);
    const { port, arm } = await startTestProxy(t, upstream.port);
    const whole = Buffer.from(`${HEAD}Content-Length: 2\r\n\r\n{}`);
    const damaged = fc
      .tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), fc.nat({ max: whole.length }))
      .map(([at, byte, end]) => {
        const copy = Buffer.from(whole);
        copy[at] = byte;
        return copy.subarray(0, end);
      });
    const noise = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some));
    const samples = fc.sample(fc.oneof(damaged, noise), {
      numRuns: Math.min(profile.fuzz, 2_000) / 4,
      seed: profile.seed,
    });
    for (const sample of samples) await exchange(port, sample, { openMs: 5_000 });
    arm("mutation", { kind: "pass" });
    assert.equal((await ask(port, "PATCH", ALIAS, { body: "{}" })).kind, "answered");
  });
});
