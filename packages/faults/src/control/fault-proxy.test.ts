import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { closed } from "@drydock/testkit";
import { ask } from "../testing/ask.js";
import { ALIAS } from "../testing/proxy.js";
import { startUpstream } from "../testing/upstream.js";
import { FaultProxy, type FaultProxyOptions } from "./fault-proxy.js";

const install = async (
  t: TestContext,
  port: number,
  options: Partial<FaultProxyOptions> = {},
): Promise<FaultProxy> => {
  const proxy = await FaultProxy.install({
    listen: { host: "127.0.0.1", port: 0 },
    upstream: { host: "127.0.0.1", port },
    paths: [ALIAS],
    ...options,
  });
  t.after(() => proxy.close());
  return proxy;
};
const patch = (proxy: FaultProxy) => ask(proxy.address.port, "PATCH", ALIAS, { body: "{}" });

describe("a fault proxy in a process of its own", () => {
  it("is armed, fires once, and hands its log over", async (t) => {
    const upstream = await startUpstream(t);
    const proxy = await install(t, upstream.port);
    assert.notEqual(proxy.pid, process.pid);
    const name = await proxy.arm({ phase: "mutation", fault: { kind: "drop-response" }, seed: 7 });
    assert.equal((await patch(proxy)).kind, "failed");
    assert.equal((await patch(proxy)).kind, "answered");
    const [first, second] = await proxy.log();
    assert.deepEqual(first?.fault, {
      arming: name,
      kinds: ["drop-response"],
      took: ["drop-response"],
    });
    assert.deepEqual([first?.delivered, second?.fault], ["proven", null]);
    await proxy.begin("rollback");
    await patch(proxy);
    await proxy.refuseMutationsAfter(0);
    await patch(proxy);
    const log = await proxy.log();
    assert.deepEqual(
      log.map(({ phase, outcome }) => [phase, outcome]),
      [
        ["mutation", "dropped"],
        ["mutation", "answered"],
        ["rollback", "answered"],
        ["rollback", "refused-deadline"],
      ],
    );
    await proxy.close();
    assert.deepEqual(await proxy.ended, { code: 0, signal: null });
    assert.deepEqual(proxy.recorded, log);
  });

  it("the same seed draws the same amounts, in every process", async (t) => {
    const upstream = await startUpstream(t, {
      answer: (_seen, response) => response.end("x".repeat(5_000)),
    });
    const lengths = async (): Promise<readonly number[]> => {
      const proxy = await install(t, upstream.port);
      const cut: number[] = [];
      for (const seed of [1, 2, 3]) {
        const fault = { kind: "truncate-response", afterBytes: { min: 0, max: 4_000 } } as const;
        await proxy.arm({ phase: "mutation", fault, seed });
        const answer = await patch(proxy);
        assert(answer.kind === "answered");
        cut.push(answer.body.length);
      }
      return cut;
    };
    const cut = await lengths();
    assert.equal(new Set(cut).size, 3);
    assert.deepEqual(await lengths(), cut);
  });

  it("killed with SIGKILL it is noticed: what waits rejects, and what was recorded stays", async (t) => {
    const upstream = await startUpstream(t);
    const proxy = await install(t, upstream.port);
    await patch(proxy);
    const log = await proxy.log();
    await proxy.arm({
      phase: "mutation",
      fault: { kind: "timeout", direction: "request" },
      seed: 1,
    });
    const held = patch(proxy);
    process.kill(proxy.pid ?? 0, "SIGKILL");
    assert.deepEqual(await proxy.ended, { code: null, signal: "SIGKILL" });
    assert.equal((await held).kind, "failed");
    await assert.rejects(proxy.log(), { code: "FAULT_PROXY_GONE" });
    await assert.rejects(proxy.arm({ phase: "mutation", fault: { kind: "pass" }, seed: 1 }), {
      code: "FAULT_PROXY_GONE",
    });
    assert.deepEqual(proxy.recorded.slice(0, 1), log);
  });

  it("ends when nobody holds it, and takes its connections with it", async (t) => {
    const upstream = await startUpstream(t);
    const proxy = await install(t, upstream.port);
    const client = connect(proxy.address.port, "127.0.0.1");
    await once(client, "connect");
    const taken = closed(client);
    await proxy.close();
    await taken;
    assert.equal((await patch(proxy)).kind, "failed");
  });

  it("takes what contradicts itself back to whoever asked, and goes on", async (t) => {
    const upstream = await startUpstream(t);
    const proxy = await install(t, upstream.port);
    const fault = [{ kind: "reset-before" }, { kind: "drop-response" }] as const;
    await assert.rejects(proxy.arm({ phase: "mutation", fault, seed: 1 }), {
      code: "FAULTS_CONTRADICT",
    });
    await assert.rejects(
      proxy.arm({
        phase: "mutation",
        fault: { kind: "delay", direction: "request", ms: -1 },
        seed: 1,
      }),
      { code: "CONTROL_MALFORMED", message: /arming\.faults\.0\.ms/ },
    );
    assert.equal((await patch(proxy)).kind, "answered");
  });

  it("other addresses than loopback are asked for", async (t) => {
    const upstream = await startUpstream(t);
    const listen = { host: "0.0.0.0", port: 0 };
    await assert.rejects(install(t, upstream.port, { listen }), { code: "LISTEN_NOT_LOOPBACK" });
    const asked = await install(t, upstream.port, { listen, beyondLoopback: { listen: true } });
    assert.equal((await patch(asked)).kind, "answered");
    const away = { upstream: { host: "192.0.2.1", port: 443 } };
    await assert.rejects(install(t, 1, away), { code: "UPSTREAM_NOT_LOOPBACK" });
    await install(t, 1, { ...away, beyondLoopback: { upstream: true } });
    // A name is no address, whoever asks.
    await assert.rejects(install(t, 1, { upstream: { host: "localhost", port: 80 } }), {
      code: "CONTROL_MALFORMED",
    });
  });

  it("says what is wrong with a port or a certificate", async (t) => {
    const upstream = await startUpstream(t);
    const taken = { listen: { host: "127.0.0.1", port: upstream.port } };
    await assert.rejects(install(t, upstream.port, taken), { code: "LISTEN_FAILED" });
    const tls = { certificate: "none", key: "none" };
    await assert.rejects(install(t, upstream.port, { tls }), { code: "TLS_INVALID" });
  });
});
