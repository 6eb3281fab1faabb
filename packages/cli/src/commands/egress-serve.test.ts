import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ask, readyLine } from "../testing/egress-serve.js";
import { type TestHome, testHome } from "../testing/home.js";

/** Nobody answers at that resolver: what is granted is looked up in vain. */
const POLICY = `schema: drydock.egress/v1
authorities:
  - name: api.example.com
    port: 443
    protocol: tls
    purpose: test
resolvers:
  - address: 127.0.0.1
    port: 9
limits:
  dnsTimeoutMs: 200
`;

const serve = (t: TestContext, ...flags: readonly string[]) => {
  const home = testHome(t);
  const policy = join(home.temporary, "policy.yaml");
  writeFileSync(policy, POLICY);
  const args = ["egress", "serve", "--listen", "127.0.0.1:0", "--policy", policy, ...flags];
  return { home, started: home.start(args) };
};

const verify = async (home: TestHome, log: string, trust: unknown) => {
  const file = join(home.temporary, "log-trust.json");
  writeFileSync(file, JSON.stringify(trust));
  const ended = await home.run(["verify", log, "--trust", file, "--json"]);
  return { code: ended.code, report: JSON.parse(ended.stdout) };
};

test("serves until SIGTERM, and its log verifies under the trust file that it printed", async (t) => {
  const home = testHome(t);
  const log = join(home.temporary, "log");
  const policy = join(home.temporary, "policy.yaml");
  writeFileSync(policy, POLICY);
  const started = home.start([
    ...["egress", "serve", "--listen", "127.0.0.1:0", "--policy", policy, "--log", log, "--json"],
  ]);
  const { port, ready, trust, maxConnections } = await readyLine(started);
  assert.deepEqual([ready, maxConnections], [true, 64]);
  assert.equal(await ask(port, "other.example.com:443"), "AUTHORITY_NOT_GRANTED");
  assert.match(await ask(port, "api.example.com:443"), /^DNS_/);
  started.child.kill("SIGTERM");
  const { code, stdout } = await started.ended;
  assert.equal(code, 0);
  const end = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  assert.deepEqual([end.end, end.connections, end.granted, end.denied], ["stopped", 2, 0, 2]);
  const verified = await verify(home, log, trust);
  assert.equal(verified.code, 0);
  assert.deepEqual([verified.report.ok, verified.report.records], [true, 4]);
  const file = join(log, "logs/egress.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replace("AUTHORITY_NOT_GRANTED", "GRANTED"));
  const spoilt = await verify(home, log, trust);
  assert.deepEqual([spoilt.code, spoilt.report.integrity], [3, "broken"]);
});

test("a halt ends it, and under halt it doesn't start", async (t) => {
  const { home, started } = serve(t, "--json");
  const { port } = await readyLine(started);
  const tunnel = connect(port, "127.0.0.1");
  tunnel.on("error", () => undefined);
  // Slow enough, it is answered that its head was late, and an answer that nobody reads ends nothing.
  tunnel.resume();
  const closed = new Promise((resolve) => tunnel.once("close", resolve));
  assert.equal((await home.run(["halt", "on", "--reason", "leak"])).code, 0);
  const { code, stdout } = await started.ended;
  assert.equal(code, 6);
  assert.match(stdout, /"end":"halted","reason":"[^}]*leak/);
  await closed;
  const log = join(home.temporary, "log");
  const again = await home.run([
    ...["egress", "serve", "--listen", "127.0.0.1:0", "--log", log],
    ...["--policy", join(home.temporary, "policy.yaml")],
  ]);
  assert.equal(again.code, 6);
  assert.match(again.stderr, /HALTED/);
  assert.equal(existsSync(log), false);
});

test("without a log directory receipts go to stderr as lines", async (t) => {
  const { started } = serve(t, "--json");
  const { port, log } = await readyLine(started);
  assert.equal(log, null);
  await ask(port, "[::1]:443");
  started.child.kill("SIGINT");
  const { code, stderr } = await started.ended;
  assert.equal(code, 0);
  const receipt = JSON.parse(stderr.trim());
  assert.deepEqual(
    [receipt.type, receipt.decision, receipt.reason, receipt.authority],
    ["egress.decision", "refused", "IP_LITERAL", ""],
  );
});

test("a wrong address, policy or directory is said before anything is served", async (t) => {
  const home = testHome(t);
  const policy = join(home.temporary, "policy.yaml");
  writeFileSync(policy, POLICY);
  const run = (...args: string[]) => home.run(["egress", "serve", ...args]);
  const named = await run("--listen", "localhost:3128", "--policy", policy);
  assert.deepEqual([named.code, /LISTEN_INVALID/.test(named.stderr)], [2, true]);
  const foreign = await run("--listen", "192.0.2.7:3128", "--policy", policy);
  assert.deepEqual([foreign.code, /EGRESS_LISTEN/.test(foreign.stderr)], [2, true]);
  const full = await run("--listen", "127.0.0.1:0", "--policy", policy, "--log", home.temporary);
  assert.deepEqual([full.code, /LOG_DIRECTORY/.test(full.stderr)], [2, true]);
  writeFileSync(policy, POLICY.replace("protocol: tls", "protocol: tls\n    terminate: true"));
  const terminate = await run("--listen", "127.0.0.1:0", "--policy", policy);
  assert.deepEqual([terminate.code, /EGRESS_TERMINATION/.test(terminate.stderr)], [2, true]);
});
