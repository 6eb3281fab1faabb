import assert from "node:assert/strict";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { digestOf, signingKeyFromSeed } from "@drydock/evidence";
import { isHostObservationSigned, readHostObservation } from "../gate/index.js";
import { startTimeOf } from "../nft/index.js";
import { ipv4, policy } from "../testing/index.js";
import { LabNode } from "../testing/lab-node.js";
import { hostObservationOf, observeHost, tryForbidden } from "./host.js";
import { parseListeners } from "./listeners.js";

const KEY = signingKeyFromSeed(Buffer.alloc(32, 3));
const PROBER = fileURLToPath(new URL("../probe/prober.js", import.meta.url));
const payloadDigest = digestOf(Buffer.from("payload"));
const LAUNCH = "cd".repeat(32);
const NOW = Date.parse("2026-11-30T09:00:00.000Z");

const LISTING = `
udp UNCONN 0 0 127.0.0.53%lo:53 0.0.0.0:* users:(("resolver",pid=7,fd=3))
tcp LISTEN 0 4096 127.0.0.1:3000 0.0.0.0:* users:(("proxy",pid=40,fd=4),("proxy",pid=41,fd=4))
tcp LISTEN 0 128 [::]:22 [::]:*
`;

test("listeners are read from ss, all of them or one process's", () => {
  assert.deepEqual(parseListeners(LISTING, null), [
    { protocol: "udp", address: "127.0.0.53%lo", port: 53 },
    { protocol: "tcp", address: "127.0.0.1", port: 3000 },
    { protocol: "tcp", address: "[::]", port: 22 },
  ]);
  assert.deepEqual(
    parseListeners(LISTING, 41).map(({ port }) => port),
    [3000],
  );
  assert.deepEqual(parseListeners(LISTING, 4), []);
  for (const line of ["tcp LISTEN 0 1 nonsense", "sctp LISTEN 0 1 1.2.3.4:5 0.0.0.0:*"]) {
    assert.throws(() => parseListeners(line, null), { code: "HOST_LISTING" });
  }
});

test("an observation is complete when something was tried and everything had an outcome", async () => {
  const seen = async (outcome: "reached" | "refused" | "silent" | "unsendable", addresses = 2) => {
    const outer = Array.from({ length: addresses }, (_, index) => ipv4("192.0.2.1") + index);
    const forbidden = await tryForbidden(policy, outer, async () => outcome);
    const about = { launch: LAUNCH, policy, payloadDigest, mappings: [], now: NOW };
    return hostObservationOf(about, { listeners: [], bootId: "b", forbidden });
  };
  assert.deepEqual((await seen("refused")).forbidden, { tried: 4, reached: 0 });
  assert.equal((await seen("refused")).complete, true);
  assert.equal((await seen("silent")).complete, true);
  assert.deepEqual((await seen("reached")).forbidden, { tried: 4, reached: 4 });
  assert.equal((await seen("unsendable")).complete, false);
  assert.equal((await seen("refused", 0)).complete, false);
});

const observed = async (node: LabNode) => {
  const startTime = startTimeOf(node.pid);
  assert.ok(startTime !== null);
  const bytes = await observeHost(
    {
      appliance: { kind: "pid", pid: node.pid, startTime },
      launch: LAUNCH,
      policy,
      payloadDigest,
      mappings: [
        {
          ...{ address: "127.0.0.1", port: 3000, protocol: "tcp" },
          guest: { address: "10.99.1.10", port: 8080 },
        },
      ],
      now: NOW,
      program: PROBER,
    },
    KEY,
  );
  const signed = readHostObservation(bytes);
  assert.ok(signed !== null && isHostObservationSigned(signed, KEY.public));
  return signed.observation;
};

const openNode = async (t: TestContext) => {
  const node = await LabNode.open(t);
  node.ip(
    "link set lo up",
    "link add outer type bridge",
    "address add 192.0.2.7/24 dev outer",
    "link set outer up",
  );
  return node;
};

test("a process that listens on loopback alone answers nowhere else, and its listener has both its ends", async (t) => {
  const node = await openNode(t);
  await node.listen("tcp", 3000, "127.0.0.1");
  const { listeners, forbidden, complete, observedAt } = await observed(node);
  assert.deepEqual(listeners, [
    {
      audience: "participant",
      address: "127.0.0.1",
      port: 3000,
      protocol: "tcp",
      guest: { address: "10.99.1.10", port: 8080 },
    },
  ]);
  assert.deepEqual([forbidden, complete], [{ tried: 2, reached: 0 }, true]);
  assert.equal(observedAt, "2026-11-30T09:00:00.000Z");
});

test("one that listens everywhere is reached, and isn't the signed listener", async (t) => {
  const node = await openNode(t);
  await node.listen("tcp", 3000, "0.0.0.0");
  const { listeners, forbidden } = await observed(node);
  assert.deepEqual(
    listeners.map(({ address, audience, guest }) => [address, audience, guest]),
    [["0.0.0.0", null, null]],
  );
  assert.equal(forbidden.reached, 1);
});

test("another process's listener isn't the appliance's", async (t) => {
  const node = await openNode(t);
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  assert.deepEqual((await observed(node)).listeners, []);
});
