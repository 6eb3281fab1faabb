import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  canonicalBytes,
  isLogDirectory,
  type LogReport,
  parseTrust,
  signingKeyFromSeed,
  TRUST_SCHEMA,
  verifyLogDirectory,
} from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { DEFAULT_LIMITS, type EgressLimits } from "../policy/index.js";
import { systemTimers } from "../system-timers.js";
import {
  endOf,
  grantFor,
  openClient,
  openTunnel,
  readHead,
  startRecorder,
} from "../testing/broker-lab.js";
import { A, a, response } from "../testing/dns-message.js";
import { send, startDnsServer } from "../testing/dns-server.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { type EgressLog, logTrust, openLogDirectory } from "./log-directory.js";
import { startStandalone } from "./standalone.js";

const HERE = "93.184.216.34";
const HOST = "api.example.com";

enterPrivateNetwork(import.meta.url, { addresses: [HERE] });

const NOW = new Date();

const lab = async (
  t: TestContext,
  limits: Partial<EgressLimits> = {},
  openFiles = 20_000,
  maxLogBytes?: number,
) => {
  const dns = await startDnsServer(t, (query) =>
    send(response(query, { answers: query.type === A ? [a(query.name, HERE)] : [] })),
  );
  const policy = {
    grants: [grantFor(HOST, 9000, { protocol: "tcp-opaque" })],
    resolvers: [{ address: dns.address, port: dns.port }],
    limits: { ...DEFAULT_LIMITS, ...limits },
    digest: `sha256:${"1".repeat(64)}`,
  };
  const path = join(temporaryDirectory(t), "log");
  const key = signingKeyFromSeed(randomBytes(32));
  const clock = {
    source: "test",
    wall: () => new Date().toISOString(),
    monotonicUs: () => Math.round(performance.now() * 1000),
  };
  const nonce = randomBytes(8);
  const log: EgressLog = openLogDirectory({
    path,
    run: "egress-test",
    policy,
    key,
    clock,
    nonce,
    later: setImmediate,
    ...(maxLogBytes === undefined ? {} : { maxBytes: maxLogBytes }),
  });
  let broken: unknown = null;
  const broker = await startStandalone({
    policy,
    listen: { host: "127.0.0.1", port: 0 },
    maxConnections: policy.limits.maxConnections,
    openFiles,
    timers: systemTimers,
    random: randomBytes,
    receipts: (receipt) => log.write(receipt),
    onBroken: (error) => {
      if (maxLogBytes === undefined) throw error;
      broken = error;
    },
  });
  t.after(() => broker.close());
  const trust = { schema: TRUST_SCHEMA, keys: [logTrust(key, NOW)] };
  const verify = (): LogReport =>
    verifyLogDirectory(path, {
      trust: parseTrust(canonicalBytes(trust)),
      now: new Date().toISOString(),
    });
  return { broker, log, path, verify, port: broker.address.port, broken: () => broken };
};

const codesOf = ({ findings }: LogReport): readonly string[] => findings.map(({ code }) => code);

describe("a broker on its own", () => {
  it("leaves a log that its key's trust entry verifies, with every decision and every end", async (t) => {
    const { broker, log, path, verify, port } = await lab(t);
    await startRecorder(t, HERE, 9000, (socket) => socket.pipe(socket));
    const { socket, answer } = await openTunnel(t, port, `${HOST}:9000`);
    assert.equal(answer.status, 200);
    const refused = await openTunnel(t, port, "other.example.com:9000");
    assert.equal(refused.answer.reason, "AUTHORITY_NOT_GRANTED");
    log.checkpoint();
    assert.deepEqual(codesOf(verify()), ["LOG_UNFINISHED", "NOT_ANCHORED"]);
    socket.destroy();
    await broker.close();
    log.end(true);
    assert.equal(isLogDirectory(path), true);
    const report = verify();
    assert.deepEqual(codesOf(report), ["NOT_ANCHORED"]);
    assert.deepEqual([report.ok, report.run, report.records], [true, "egress-test", 5]);
    const types = readFileSync(join(path, "logs/egress.jsonl"), "utf8").match(/"type":"[^"]*"/g);
    assert.deepEqual(types, [
      '"type":"log.begin"',
      '"type":"egress.decision"',
      '"type":"egress.decision"',
      '"type":"egress.closed"',
      '"type":"log.end"',
    ]);
  });

  it("leaves a log in which a change shows", async (t) => {
    const spoil: readonly (readonly [string, (path: string) => void, string])[] = [
      ["another policy", (path) => writeFileSync(join(path, "policy.json"), "{}"), "LOG_BINDING"],
      [
        "a changed line",
        (path) => {
          const file = join(path, "logs/egress.jsonl");
          const text = readFileSync(file, "utf8");
          writeFileSync(file, text.replace('"decision":"refused"', '"decision":"granted"'));
        },
        "LOG_CHAIN",
      ],
      ["a file more", (path) => writeFileSync(join(path, "more"), ""), "FILE_EXTRA"],
      [
        "half a line",
        (path) => appendFileSync(join(path, "logs/egress.jsonl"), "{"),
        "LOG_PARTIAL_LINE",
      ],
      [
        "no checkpoint",
        (path) => writeFileSync(join(path, "logs/egress.checkpoint"), ""),
        "LOG_UNSIGNED_TAIL",
      ],
    ];
    for (const [what, change, code] of spoil) {
      const { broker, log, path, verify, port } = await lab(t);
      await openTunnel(t, port, "other.example.com:9000");
      await broker.close();
      log.end(true);
      assert.equal(verify().ok, true);
      change(path);
      const report = verify();
      assert.equal(report.ok, false, what);
      assert.ok(codesOf(report).includes(code), `${what}: ${codesOf(report)}`);
    }
  });

  it("ends with a log that is as long as can be read, and that is whole", async (t) => {
    const { broker, log, path, verify, port, broken } = await lab(t, {}, 20_000, 4_000);
    await startRecorder(t, HERE, 9000);
    const tunnel = await openTunnel(t, port, `${HOST}:9000`);
    assert.equal(tunnel.answer.status, 200);
    const end = endOf(tunnel.socket);
    for (let asked = 0; broken() === null; asked += 1) {
      assert.ok(asked < 10, "the log has no end");
      await openTunnel(t, port, "other.example.com:9000");
    }
    assert.match(String(broken()), /as long as can be read/);
    assert.equal(await end, "ECONNRESET");
    assert.equal((await openTunnel(t, port, `${HOST}:9000`)).answer.reason, "HALTED");
    log.checkpoint();
    await broker.close();
    const report = verify();
    assert.deepEqual([report.ok, codesOf(report)], [true, ["NOT_ANCHORED"]]);
    const text = readFileSync(join(path, "logs/egress.jsonl"), "utf8");
    assert.match(text.trim().split("\n").at(-1) ?? "", /"decision":"failed".*"type":"log.end"/);
  });

  it("is believed under no other key", async (t) => {
    const { broker, log, path } = await lab(t);
    await broker.close();
    log.end(true);
    const other = {
      schema: TRUST_SCHEMA,
      keys: [logTrust(signingKeyFromSeed(randomBytes(32)), NOW)],
    };
    const report = verifyLogDirectory(path, {
      trust: parseTrust(canonicalBytes(other)),
      now: new Date().toISOString(),
    });
    assert.equal(report.integrity, "broken");
    assert.ok(codesOf(report).includes("LOG_KEY"));
  });

  it("keeps no second log in a directory that has one", async (t) => {
    const { path } = await lab(t);
    assert.throws(
      () =>
        openLogDirectory({
          path,
          run: "again",
          policy: { grants: [], resolvers: [], limits: DEFAULT_LIMITS, digest: "" },
          key: signingKeyFromSeed(randomBytes(32)),
          clock: { source: "test", wall: () => NOW.toISOString(), monotonicUs: () => 0 },
          nonce: randomBytes(8),
          later: setImmediate,
        }),
      { code: "LOG_DIRECTORY" },
    );
  });

  it("doesn't start where it has descriptors for none", async (t) => {
    await assert.rejects(lab(t, {}, 64), { code: "OPEN_FILES", fix: /ulimit -n/ });
  });

  it("takes no more connections than it has descriptors for, and says so", async (t) => {
    const { broker, port } = await lab(t, { maxConnections: 1_000 }, 64 + 128 + 64 + 6);
    assert.equal(broker.maxConnections, 3);
    await startRecorder(t, HERE, 9000);
    for (let open = 0; open < 3; open += 1) {
      assert.equal((await openTunnel(t, port, `${HOST}:9000`)).answer.status, 200);
    }
    assert.equal((await readHead(openClient(t, port))).reason, "CAPACITY");
  });
});
