import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { type Proxy as ClientProxy, Toxiproxy } from "toxiproxy-node-client";
import { exchange, startBytes } from "../testing/bytes.js";
import { startToxiproxy } from "./server.js";

const run = promisify(execFile);

/** The published client, as it is, before a server of ours. */
const lab = async (t: TestContext) => {
  const server = await startToxiproxy({
    listen: { host: "127.0.0.1", port: 0 },
    reach: { listen: false, upstream: false },
    seed: 1,
    populate: [],
  });
  t.after(() => server.close());
  const { port: upstream } = await startBytes(t, (socket) => {
    socket.pipe(socket);
  });
  const client = new Toxiproxy(`http://127.0.0.1:${server.address.port}`);
  const body = { name: "echo", listen: "127.0.0.1:0", upstream: `127.0.0.1:${upstream}` };
  return { client, body, upstream, api: `http://127.0.0.1:${server.address.port}` };
};

const portOf = ({ listen }: ClientProxy): number => Number(listen.split(":").at(-1));

type ToxicBody = Parameters<ClientProxy["addToxic"]>[0];
const toxicBody = (type: string, attributes: object, stream = "downstream"): ToxicBody =>
  ({ name: "", type, stream, toxicity: 1, attributes }) as ToxicBody;

const DATA = Buffer.from("0123456789".repeat(2_000));

describe("the published Toxiproxy client for Node", () => {
  it("creates, shows, lists, updates, resets, populates and deletes proxies", async (t) => {
    const { client, body, upstream } = await lab(t);
    assert.deepEqual(await client.getAll(), {});
    const proxy = await client.createProxy(body);
    assert.match(proxy.listen, /^127\.0\.0\.1:[1-9][0-9]*$/);
    assert.deepEqual(proxy.toJson(), { ...body, listen: proxy.listen, enabled: true });
    assert.deepEqual((await client.get("echo")).toJson(), proxy.toJson());
    assert.deepEqual(Object.keys(await client.getAll()), ["echo"]);
    assert.match(await client.getVersion(), /^\{"version":"2\.[0-9]+\.[0-9]+"\}$/);
    await assert.rejects(client.createProxy(body), /status code 409/);
    await assert.rejects(client.get("none"), /status code 404/);

    const { listen } = proxy;
    const disabled = await proxy.update({ enabled: false, listen, upstream: body.upstream });
    assert.equal(disabled.enabled, false);
    await assert.rejects(
      run("curl", ["-sS", "-m", "2", `http://${listen}/`]),
      /refused|Failed to connect/,
    );
    await client.reset();
    assert.equal((await client.get("echo")).enabled, true);
    assert.equal(String((await exchange(portOf(proxy), Buffer.from("up"))).bytes), "up");

    const populated = await client.populate([
      { ...body, listen },
      { ...body, name: "other", upstream: `localhost:${upstream}` },
    ]);
    assert.deepEqual(Object.keys(populated), ["echo", "other"]);
    const other = populated["other"];
    assert(other);
    assert.equal(String((await exchange(portOf(other), Buffer.from("too"))).bytes), "too");
    await other.remove();
    await assert.rejects(client.get("other"), /status code 404/);
    assert.notEqual((await exchange(portOf(other), null, { openMs: 500 })).bytes.length, 3);
  });

  it("adds a toxic, sees it, changes it and takes it away", async (t) => {
    const { client, body } = await lab(t);
    const proxy = await client.createProxy(body);
    const took = async (): Promise<number> =>
      (await exchange(portOf(proxy), Buffer.from("x"))).firstMs;
    assert((await took()) < 1_900);
    const toxic = await proxy.addToxic(toxicBody("latency", { latency: 2_000, jitter: 0 }));
    assert.deepEqual(toxic.toJson(), {
      ...{ attributes: { latency: 2_000, jitter: 0 }, name: "latency_downstream" },
      ...{ stream: "downstream", toxicity: 1, type: "latency" },
    });
    assert((await took()) >= 1_999);
    assert.deepEqual((await proxy.getToxic("latency_downstream")).toJson(), toxic.toJson());
    const changed = await toxic.update(toxicBody("latency", { latency: 3_000 }));
    assert.deepEqual(changed.attributes, { latency: 3_000, jitter: 0 });
    assert((await took()) >= 2_999);
    await toxic.remove();
    assert((await took()) < 1_900);
    await assert.rejects(proxy.getToxic("latency_downstream"), /status code 404/);
    await assert.rejects(toxic.remove(), /status code 404/);
    await proxy.addToxic(toxicBody("latency", { latency: 2_000 }));
    await client.reset();
    assert((await took()) < 1_900);
  });
});

describe("every toxic on real bytes, beside the same exchange without it", () => {
  const cases: readonly {
    readonly what: string;
    readonly type: string;
    readonly attributes: object;
    readonly stream?: string;
    readonly send?: Buffer;
    readonly openMs?: number;
    readonly half?: boolean;
    readonly check: (seen: Awaited<ReturnType<typeof exchange>>) => boolean;
  }[] = [
    {
      what: "latency: the first byte later",
      type: "latency",
      attributes: { latency: 1_200 },
      check: ({ bytes, firstMs }) => bytes.equals(DATA) && firstMs >= 1_199,
    },
    {
      what: "latency upstream: later as well",
      type: "latency",
      attributes: { latency: 1_200 },
      stream: "upstream",
      check: ({ bytes, firstMs }) => bytes.equals(DATA) && firstMs >= 1_199,
    },
    {
      what: "bandwidth: 20,000 bytes at 20 KB/s take a second",
      type: "bandwidth",
      attributes: { rate: 20 },
      check: ({ bytes, lastMs }) => bytes.equals(DATA) && lastMs >= 960,
    },
    {
      what: "slow_close: all bytes, the end later",
      type: "slow_close",
      attributes: { delay: 1_500 },
      check: ({ bytes, lastMs, endMs }) => bytes.equals(DATA) && endMs - lastMs >= 1_000,
    },
    {
      what: "timeout: nothing, and the end after a while",
      type: "timeout",
      attributes: { timeout: 400 },
      half: false,
      check: ({ bytes, end, endMs }) => bytes.length === 0 && end === "end" && endMs >= 380,
    },
    {
      what: "timeout of 0: nothing, and no end",
      type: "timeout",
      attributes: { timeout: 0 },
      half: false,
      openMs: 600,
      check: ({ bytes, end }) => bytes.length === 0 && end === "open",
    },
    {
      what: "reset_peer: a reset",
      type: "reset_peer",
      attributes: { timeout: 0 },
      half: false,
      check: ({ bytes, end }) => bytes.length === 0 && end === "ECONNRESET",
    },
    {
      what: "reset_peer later: a reset later",
      type: "reset_peer",
      attributes: { timeout: 400 },
      half: false,
      check: ({ end, endMs }) => end === "ECONNRESET" && endMs >= 399,
    },
    {
      what: "slicer: small reads",
      type: "slicer",
      attributes: { average_size: 1_000, size_variation: 500, delay: 50_000 },
      check: ({ bytes, reads, lastMs, firstMs }) =>
        bytes.equals(DATA) && reads.length >= 8 && lastMs - firstMs >= 400,
    },
    {
      what: "limit_data: so many bytes, and the end",
      type: "limit_data",
      attributes: { bytes: 12_345 },
      half: false,
      check: ({ bytes, end }) => bytes.equals(DATA.subarray(0, 12_345)) && end === "end",
    },
  ];
  for (const { what, type, attributes, stream, check, ...options } of cases)
    it(what, async (t) => {
      const { client, body } = await lab(t);
      const proxy = await client.createProxy(body);
      const toxic = await proxy.addToxic(toxicBody(type, attributes, stream));
      const seen = await exchange(portOf(proxy), DATA, options);
      assert(check(seen), JSON.stringify({ ...seen, bytes: seen.bytes.length }));
      await toxic.remove();
      const control = await exchange(portOf(proxy), DATA);
      assert(control.bytes.equals(DATA) && control.end === "end");
      assert(!check(control), JSON.stringify({ ...control, bytes: control.bytes.length }));
    });

  it("down: refused while disabled, and answered again", async (t) => {
    const { client, body } = await lab(t);
    const proxy = await client.createProxy(body);
    const { listen } = proxy;
    const enable = (enabled: boolean) => proxy.update({ enabled, listen, upstream: body.upstream });
    await enable(false);
    assert.equal((await exchange(portOf(proxy), DATA, { openMs: 500 })).bytes.length, 0);
    await enable(true);
    assert((await exchange(portOf(proxy), DATA)).bytes.equals(DATA));
  });

  it("curl sees them on HTTP", async (t) => {
    const http = createServer((_request, response) => response.end("0123456789".repeat(100)));
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    t.after(() => http.close());
    const address = http.address();
    assert(typeof address === "object" && address !== null);
    const { client } = await lab(t);
    const upstream = `127.0.0.1:${address.port}`;
    const proxy = await client.createProxy({ name: "web", listen: "127.0.0.1:0", upstream });
    const curl = (...args: readonly string[]) =>
      run("curl", ["-sS", "-m", "10", ...args, `http://${proxy.listen}/`]).then(
        ({ stdout }) => ({ code: 0, stdout }),
        (error: { code: number }) => ({ code: error.code, stdout: "" }),
      );
    assert.equal((await curl()).stdout.length, 1_000);
    const limit = await proxy.addToxic(toxicBody("limit_data", { bytes: 500 }));
    // curl: 18, partial file.
    assert.equal((await curl()).code, 18);
    await limit.remove();
    const reset = await proxy.addToxic(toxicBody("reset_peer", { timeout: 0 }));
    // curl: 56, failure in receiving.
    assert.equal((await curl()).code, 56);
    await reset.remove();
    const slow = await proxy.addToxic(toxicBody("timeout", { timeout: 0 }));
    assert.equal((await curl("-m", "1")).code, 28);
    await slow.remove();
    assert.equal((await curl()).stdout.length, 1_000);
  });

  it("a toxic meets a connection that is already open, and leaves it open", async (t) => {
    const { client, body } = await lab(t);
    const proxy = await client.createProxy(body);
    const { connect } = await import("node:net");
    const socket = connect(portOf(proxy), "127.0.0.1");
    t.after(() => socket.destroy());
    const roundTrip = async (): Promise<number> => {
      const start = performance.now();
      socket.write("x");
      await once(socket, "data");
      return performance.now() - start;
    };
    await once(socket, "connect");
    await roundTrip();
    assert((await roundTrip()) < 1_900);
    const toxic = await proxy.addToxic(toxicBody("latency", { latency: 2_000 }));
    assert((await roundTrip()) >= 1_999);
    // What waits when it is taken away goes on at once.
    const start = performance.now();
    socket.write("x");
    await new Promise((resolve) => setTimeout(resolve, 50));
    const came = once(socket, "data");
    await toxic.update(toxicBody("latency", { latency: 20_000 }));
    await came;
    await toxic.remove();
    assert(performance.now() - start < 15_000);
    assert((await roundTrip()) < 1_900);
  });
});
