import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ask, readyLine } from "../testing/egress-serve.js";
import { type Started, testHome } from "../testing/home.js";

const policyOf = (maxConnections: number): string => `schema: drydock.egress/v1
authorities:
  - name: api.example.com
    port: 443
    protocol: tls
    purpose: test
resolvers:
  - address: 127.0.0.1
    port: 9
limits:
  maxConnections: ${maxConnections}
`;

const prepare = (t: TestContext, maxConnections: number) => {
  const home = testHome(t);
  const policy = join(home.temporary, "policy.yaml");
  const log = join(home.temporary, "log");
  writeFileSync(policy, policyOf(maxConnections));
  const args = (listen: string, workers: string): readonly string[] => [
    ...["egress", "serve", "--listen", listen, "--policy", policy, "--log", log],
    ...["--workers", workers, "--json"],
  ];
  return { home, log, args };
};

const startTwo = async (t: TestContext, maxConnections = 64) => {
  const { home, log, args } = prepare(t, maxConnections);
  const started = home.start(args("127.0.0.1:0", "2"));
  const ready = await readyLine(started);
  return { home, log, started, ready, workers: childrenOf(started) };
};

const childrenOf = ({ child: { pid } }: Started): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

/** Whether somebody accepts, or has accepted and resets. */
const isServed = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", ({ message }) => resolve(!message.includes("ECONNREFUSED")));
    socket.once("close", () => socket.destroy());
  });

/** The last words of a connection that says nothing; null while there are none. */
const silentClient = (t: TestContext, port: number) => {
  const client = { said: "", over: false };
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    client.said += bytes;
  });
  socket.on("close", () => {
    client.over = true;
  });
  return client;
};

test("two processes serve one address, each with a log and a key of its own", async (t) => {
  const { home, log, started, ready, workers } = await startTwo(t);
  assert.equal(workers.length, 2);
  assert.deepEqual([ready.maxConnections, ready.logs.length, ready.trust.keys.length], [64, 2, 2]);
  const MANY = 20;
  const asked = Array.from({ length: MANY }, () => ask(ready.port, "other.example.com:443"));
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(["AUTHORITY_NOT_GRANTED"]));
  started.child.kill("SIGTERM");
  const { code, stdout, stderr } = await started.ended;
  assert.equal(code, 0, stderr);
  const end = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  assert.deepEqual([end.end, end.connections, end.denied], ["stopped", MANY, MANY]);
  assert.deepEqual(end.refusals, { AUTHORITY_NOT_GRANTED: MANY });

  const trust = join(home.temporary, "trust.json");
  writeFileSync(trust, JSON.stringify(ready.trust));
  let decisions = 0;
  for (const name of ["worker-1", "worker-2"]) {
    const verified = await home.run(["verify", join(log, name), "--trust", trust, "--json"]);
    assert.equal(verified.code, 0, verified.stdout);
    decisions += JSON.parse(verified.stdout).records - 2;
  }
  assert.equal(decisions, MANY);
});

test("the policy's limit holds over both", async (t) => {
  const LIMIT = 5;
  const { started, ready, workers } = await startTwo(t, LIMIT);
  assert.equal(ready.maxConnections, LIMIT);
  const clients = Array.from({ length: 8 * LIMIT }, () => silentClient(t, ready.port));
  const waiting = () => clients.filter(({ over }) => !over);
  while (waiting().length > LIMIT) await wait(5);
  for (const { said } of clients.filter(({ over }) => over)) assert.match(said, /CAPACITY/);
  // At least what one of them may take: which one accepts is the kernel's choice.
  assert.ok(waiting().length >= Math.floor(LIMIT / 2), `${waiting().length}`);
  // As a terminal does it.
  for (const pid of [...workers, started.child.pid ?? 0]) process.kill(pid, "SIGINT");
  const { code, stderr } = await started.ended;
  assert.equal(code, 0, stderr);
});

test("one that is lost takes all with it, and it is said", async (t) => {
  const { started, ready, workers } = await startTwo(t);
  assert.equal(await isServed(ready.port), true);
  process.kill(workers[1] ?? 0, "SIGKILL");
  const { code, stdout } = await started.ended;
  assert.notEqual(code, 0);
  const { error } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  assert.deepEqual(
    [error.code, /worker 2 ended \(SIGKILL\)/.test(error.message)],
    ["EGRESS_WORKER", true],
  );
  assert.equal(await isServed(ready.port), false);
});

test("none serves without the process that watches over them", async (t) => {
  const { started, ready, workers } = await startTwo(t);
  started.child.kill("SIGKILL");
  while (workers.some((pid) => existsSync(`/proc/${pid}`))) await wait(5);
  assert.equal(await isServed(ready.port), false);
});

test("a halt ends all of them", async (t) => {
  const { home, started, ready } = await startTwo(t);
  assert.equal((await home.run(["halt", "on", "--reason", "leak"])).code, 0);
  const { code, stdout } = await started.ended;
  assert.equal(code, 6);
  assert.match(stdout, /"end":"halted","reason":"[^}]*leak/);
  assert.equal(await isServed(ready.port), false);
});

test("what is wrong is said once, before anything is served", async (t) => {
  const { home, log, args } = prepare(t, 3);
  for (const workers of ["0", "4", "17", "two"]) {
    const refused = await home.run(args("127.0.0.1:0", workers));
    assert.deepEqual([refused.code, JSON.parse(refused.stdout).error.code], [2, "USAGE"]);
  }
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const taken = await home.run(args(`127.0.0.1:${port}`, "2"));
  assert.equal(taken.code, 2);
  assert.equal(JSON.parse(taken.stdout).error.code, "EGRESS_LISTEN");
  assert.equal(taken.stderr.match(/EGRESS_LISTEN/g)?.length, 1);
  assert.equal(existsSync(log), false);
});
