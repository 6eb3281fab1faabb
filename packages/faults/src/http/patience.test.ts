import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { ALIAS, startTestProxy } from "../testing/proxy.js";
import { startUpstream } from "../testing/upstream.js";
import { systemTimers } from "../timers.js";
import { RECEIVE_MS } from "./limits.js";

const SHORT_MS = 300;
const HEAD = `PATCH ${ALIAS} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n`;
const LONG = `${HEAD.replace(": 2", ": 9000")}{`;

const impatient = async (t: TestContext) => {
  const upstream = await startUpstream(t);
  const started = await startTestProxy(t, upstream.port, {
    timers: {
      ...systemTimers,
      after: (ms, call) => systemTimers.after(ms === RECEIVE_MS ? SHORT_MS : ms, call),
    },
  });
  const open = (): Socket => {
    const socket = connect(started.port, "127.0.0.1");
    socket.on("error", () => undefined);
    t.after(() => socket.destroy());
    return socket;
  };
  return { ...started, upstream, open };
};

describe("a client without a whole request", () => {
  for (const [what, sent] of [
    ["says nothing", ""],
    ["is amid a head", "PATCH /"],
    ["is amid a body", LONG],
    ["is amid a second request", `${HEAD}{}${LONG}`],
  ] as const)
    it(`isn't waited for when it ${what}, also byte by byte`, { timeout: 10_000 }, async (t) => {
      const { open } = await impatient(t);
      const socket = open();
      // Ended or reset: which one it is depends on whether a byte came after the last read.
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const start = performance.now();
      socket.write(sent);
      socket.resume();
      const drip = sent === "" ? undefined : setInterval(() => socket.write("x"), SHORT_MS / 10);
      t.after(() => clearInterval(drip));
      await closed;
      assert(performance.now() - start >= SHORT_MS - 1);
    });

  it("isn't one whose request a fault holds, nor one that asks again", async (t) => {
    const { open, arm, settled, upstream } = await impatient(t);
    arm("mutation", { kind: "delay", direction: "request", ms: 3 * SHORT_MS });
    const socket = open();
    for (let count = 1; count <= 3; count += 1) {
      socket.write(`${HEAD}{}`);
      const [answer] = (await once(socket, "data")) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
      assert.equal(upstream.committed.length, count);
    }
    assert((await settled()).every(({ outcome }) => outcome === "answered"));
  });
});
