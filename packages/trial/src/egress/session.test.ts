import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { describe, type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  createBroker,
  type Dialled,
  policyBytes,
  policyFromAllow,
  systemTimers,
} from "@drydock/broker";
import { signingKeyFromSeed } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { attachBulk, type BulkStream } from "@drydock/wire";
import { pipePair } from "../testing/pipe.js";
import { untilTrue } from "../testing/until.js";
import { EgressSession } from "./session.js";

const CHANNEL = "drydock.egress.0";
const WITHIN_MS = 5_000;
const POLICY = policyBytes(
  policyFromAllow(["allowed.example:80=tcp-opaque"], [{ address: "127.0.0.1", port: 53 }]),
).toString("utf8");

const BEGIN = {
  ...{ run: "run-1", manifest: `sha256:${"1".repeat(64)}` },
  ...{ secrets: [], upstreamRoots: null, canaries: [], lifetimeMs: 60_000 },
};

type Line = Readonly<Record<string, unknown>>;

const measured = (line: Line | undefined): Line => (line?.["measurements"] ?? {}) as Line;

/** The broker process without a process: its session, a guest's end, and an upstream that echoes. */
const play = async (
  test: TestContext,
  connect?: (host: Duplex) => Promise<Duplex>,
  canaries: readonly { readonly id: string; readonly value: string }[] = [],
) => {
  const directory = temporaryDirectory(test);
  const files = { log: join(directory, "log"), checkpoints: join(directory, "checkpoints") };
  for (const path of Object.values(files)) writeFileSync(path, "");
  const [host, guest] = pipePair();
  const told: string[] = [];
  const upstreams: Duplex[] = [];
  let broken: (error: unknown) => void = () => undefined;
  let tick = 0;
  const session = new EgressSession({
    key: signingKeyFromSeed(Buffer.alloc(32, 3)),
    clock: {
      source: "test",
      wall: () => new Date(1_800_000_000_000 + tick).toISOString(),
      monotonicUs: () => ++tick,
    },
    entropy: (bytes) => Buffer.alloc(bytes, 7),
    controller: {
      lost: async ({ code }) => void told.push(`lost ${code}`) as never,
      violation: async ({ channel, code }) =>
        void told.push(`violation ${channel} ${code}`) as never,
    },
    connect: () => (connect ?? (async () => host))(host),
    createBroker: (options) => {
      broken = options.onBroken;
      return createBroker({
        ...options,
        timers: systemTimers,
        resolver: {
          resolve: async () => ({
            kind: "addresses",
            addresses: [{ family: 4, bytes: Uint8Array.of(93, 184, 216, 34) }],
            ttl: 60,
            source: "asked",
            ageMs: 0,
            queries: 2,
            ms: 1,
          }),
        },
        dial: async (): Promise<Dialled> => {
          const [socket, upstream] = pipePair();
          upstreams.push(upstream);
          upstream.pipe(upstream);
          return { kind: "connected", socket };
        },
      });
    },
    timers: systemTimers,
    files,
  });
  const handlers = session.handlers();
  // Tunnels that a test leaves open have timers.
  test.after(() => handlers.revoke({ reason: "ended" }));
  session.supplies().supply({ secrets: [], upstreamRoots: null });
  await handlers.begin({ ...BEGIN, canaries, policy: POLICY });
  const channel = attachBulk(guest, { role: "opener", onClose: () => undefined });
  const lines = (): readonly Line[] =>
    readFileSync(files.log, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  return {
    handlers,
    host,
    guest,
    told,
    upstreams,
    channel,
    breakLog: (error: unknown) => broken(error),
    types: () => lines().map(({ type }) => String(type)),
    recordsOf: (type: string) => lines().filter((line) => line["type"] === type),
  };
};

type Stage = Awaited<ReturnType<typeof play>>;

const connected = async (stage: Stage): Promise<void> => {
  await stage.handlers.connect({ channel: CHANNEL, path: "/socket" });
};

/** Asks for a tunnel as a program in the guest does. */
const ask = async (
  { channel }: Stage,
  authority: string,
): Promise<{ readonly stream: BulkStream; readonly head: string }> => {
  const stream = channel.open();
  stream.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [head] = (await once(stream, "data")) as [Buffer];
  return { stream, head: head.toString("latin1") };
};

const closeOf = (stream: Duplex): Promise<unknown> =>
  new Promise((resolve) => stream.once("close", resolve));

describe("the broker's session", () => {
  test("serves each stream as a connection, records it, and counts what it refused", async (t) => {
    const stage = await play(t);
    await connected(stage);
    const { stream, head } = await ask(stage, "allowed.example:80");
    assert.match(head, /^HTTP\/1\.1 200 /);
    const echoed = once(stream, "data");
    stream.write("hello");
    assert.equal(String((await echoed)[0]), "hello");
    stream.end();
    await closeOf(stream);
    const refused = await ask(stage, "other.example:80");
    assert.match(refused.head, /^HTTP\/1\.1 403 .*AUTHORITY_NOT_GRANTED/s);
    const { channels, denied } = await stage.handlers.end({ clean: true });
    assert.equal(denied, 1);
    assert.deepEqual(stage.types(), [
      "log.begin",
      "channel.open",
      "egress.decision",
      "egress.closed",
      "egress.decision",
      "channel.closed",
      "log.end",
    ]);
    const [closed] = stage.recordsOf("channel.closed");
    assert.deepEqual(closed?.["measurements"], channels[0]);
    assert.ok((channels[0]?.fromGuest ?? 0) > 0);
    assert.deepEqual(stage.told, []);
  });

  test("a guest that breaks the framing loses the channel, with a receipt, and is told of once", async (t) => {
    const stage = await play(t);
    await connected(stage);
    const { stream } = await ask(stage, "allowed.example:80");
    const ended = closeOf(stage.upstreams[0] as Duplex);
    stage.guest.write(Buffer.from([9, 0, 0, 0, 9, 0, 0, 0, 0]));
    await Promise.all([closeOf(stage.host), closeOf(stream), ended]);
    assert.deepEqual(stage.told, [`violation ${CHANNEL} bulk-type`]);
    const [violation] = stage.recordsOf("channel.violation");
    assert.equal(measured(violation)["rule"], "bulk-type");
    assert.equal(stage.recordsOf("channel.closed")[0]?.["decision"], "violation");
  });

  test("a channel that is lost ends every tunnel and is told of once", async (t) => {
    const stage = await play(t);
    await connected(stage);
    await ask(stage, "allowed.example:80");
    const ended = closeOf(stage.upstreams[0] as Duplex);
    stage.host.destroy();
    await ended;
    assert.deepEqual(stage.told, ["lost EGRESS_CHANNEL_LOST"]);
    assert.equal(stage.recordsOf("channel.closed")[0]?.["decision"], "guest");
  });

  test("a revocation resets tunnels, closes the channel, and nothing is opened after it", async (t) => {
    const stage = await play(t);
    await connected(stage);
    const { stream } = await ask(stage, "allowed.example:80");
    const [upstream] = stage.upstreams;
    assert.ok(upstream !== undefined);
    const ends = Promise.all([closeOf(stream), closeOf(upstream)]);
    const { channels } = await stage.handlers.revoke({ reason: "ended" });
    await ends;
    assert.equal(stage.host.destroyed, true);
    assert.equal(channels.length, 1);
    const [closed] = stage.recordsOf("egress.closed");
    assert.equal(measured(closed)["reason"], "REVOKED");
    await assert.rejects(connected(stage), { code: "CHANNEL_STATE" });
    // Again, as a run that is killed while it ends does: the same bytes, and no second record.
    assert.deepEqual((await stage.handlers.revoke({ reason: "ended" })).channels, channels);
    assert.equal(stage.recordsOf("channel.closed").length, 1);
    assert.deepEqual(stage.told, []);
  });

  test("a channel that is being opened when it is revoked is shut again", async (t) => {
    let open: () => void = () => undefined;
    const stage = await play(t, (host) => new Promise((resolve) => (open = () => resolve(host))));
    const opening = assert.rejects(connected(stage), { code: "CHANNEL_STATE" });
    await stage.handlers.revoke({ reason: "ended" });
    open();
    await opening;
    assert.equal(stage.host.destroyed, true);
    assert.equal(stage.types().includes("channel.open"), false);
  });

  test("a log that can't be written is told of, and no tunnel outlives it", async (t) => {
    const stage = await play(t);
    await connected(stage);
    await ask(stage, "allowed.example:80");
    const [upstream] = stage.upstreams;
    assert.ok(upstream !== undefined);
    const ended = closeOf(upstream);
    stage.breakLog(new Error("disk full"));
    await ended;
    assert.deepEqual(stage.told, ["lost EGRESS_LOG"]);
  });

  test("a policy that isn't one is refused before there is a log", async (t) => {
    const stage = await play(t);
    const begin = async (policy: string) => stage.handlers.begin({ ...BEGIN, policy });
    await assert.rejects(begin('{"schema":"drydock.egress/v1"}'), { code: "POLICY_INVALID" });
    await assert.rejects(begin(`${POLICY} `), /./);
  });

  test("a planted value in a tunnel cuts it before it passes, and is recorded without the value", async (t) => {
    const value = "Zq3mX8vT1kPw7LbN5cRd";
    const stage = await play(t, undefined, [{ id: "BACKUP_KEY", value }]);
    await connected(stage);
    const { stream } = await ask(stage, "allowed.example:80");
    const echoed = once(stream, "data");
    stream.write("harmless");
    assert.equal(String((await echoed)[0]), "harmless", "the positive control");
    const heard: Buffer[] = [];
    stage.upstreams[0]?.on("data", (chunk: Buffer) => heard.push(chunk));
    stream.on("error", () => undefined);
    const closed = closeOf(stream);
    stream.write(Buffer.from(value).toString("hex"));
    await closed;
    assert.equal(Buffer.concat(heard).length, 0);
    const [sighted] = stage.recordsOf("canary.sighted");
    assert.deepEqual(measured(sighted), {
      ...{ channel: CHANNEL, place: "up", canary: "BACKUP_KEY" },
      ...{ encoding: "hex", layer: "none" },
    });
    assert.equal(JSON.stringify(sighted).includes(value), false);
  });

  test("a reader that doesn't read holds the upstream back, not memory", async (t) => {
    const stage = await play(t);
    await connected(stage);
    const { stream } = await ask(stage, "allowed.example:80");
    stream.pause();
    const [upstream] = stage.upstreams;
    assert.ok(upstream !== undefined);
    upstream.unpipe();
    let written = 0;
    for (let i = 0; i < 200; i += 1) {
      if (!upstream.write(Buffer.alloc(65_536))) {
        await turn();
        await turn();
      }
      written += 65_536;
    }
    await untilTrue(() => upstream.writableLength > 0, WITHIN_MS, "back-pressure");
    const taken = written - upstream.writableLength;
    assert.ok(taken < 2 * 2 ** 20, `${taken} bytes were taken`);
  });
});
