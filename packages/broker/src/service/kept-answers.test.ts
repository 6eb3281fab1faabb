import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { parseIp } from "../address/ip-text.js";
import { DEFAULT_LIMITS } from "../policy/index.js";
import { keepAnswers, type Resolver } from "../resolve/index.js";
import { type BrokerLab, openTunnel, startRecorder } from "../testing/broker-lab.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { API, echo, HERE, lab, NETWORK, OTHER } from "./testing/names.js";

enterPrivateNetwork(import.meta.url, NETWORK);

const AUTHORITY = `${API}:9000`;

/** Says what it is told to, as if somebody had answered so just now. */
const answering = (resolver: { says: readonly string[] }): Resolver => ({
  resolve: async () => ({
    kind: "addresses",
    addresses: resolver.says.map((text) => {
      const address = parseIp(text);
      assert(address !== null);
      return address;
    }),
    ttl: 5,
    source: "asked",
    ageMs: 0,
    queries: 2,
    ms: 1,
  }),
});

/** One CONNECT, and what its receipt says. */
const connect = async (t: TestContext, { port, receipts }: BrokerLab) => {
  const { answer, socket } = await openTunnel(t, port, AUTHORITY);
  socket.destroy();
  const decision = receipts.findLast(({ kind }) => kind === "decision");
  assert(decision?.kind === "decision");
  assert.equal(answer.status, decision.reason === "GRANTED" ? 200 : 403);
  const { reason, answer: source, answerAgeMs, queries, address } = decision;
  return [reason, source, answerAgeMs, queries, address];
};

it("a decision by a kept answer says so, and a name that turns private is denied in time", async (t) => {
  const name = { says: [HERE] };
  const clock = { at: 0, now: () => clock.at };
  const resolver = keepAnswers(answering(name), clock, DEFAULT_LIMITS.maxAnswerAgeMs);
  const broker = await lab(t, { broker: { resolver } });
  const here = await startRecorder(t, HERE, 9000, echo);
  const there = await startRecorder(t, OTHER, 9000, echo);
  assert.deepEqual(await connect(t, broker), ["GRANTED", "asked", 0, 2, HERE]);

  // To the address that was judged then, whatever the name leads to by now.
  name.says = [OTHER];
  clock.at = 4_999;
  assert.deepEqual(await connect(t, broker), ["GRANTED", "kept", 4_999, 0, HERE]);
  assert.deepEqual([here.connections, there.connections], [2, 0]);

  name.says = [HERE, "10.0.0.1"];
  clock.at = 5_000;
  assert.deepEqual(await connect(t, broker), ["ADDRESS_NOT_GLOBAL", "asked", 0, 2, null]);
  assert.deepEqual([here.connections, there.connections], [2, 0]);
});

it("a kept answer is judged as one that just came", async (t) => {
  const broker = await lab(t, {
    broker: {
      resolver: {
        resolve: async (host, signal) => ({
          ...(await answering({ says: [HERE, "127.0.0.1"] }).resolve(host, signal)),
          source: "kept",
          ageMs: 3,
        }),
      },
    },
  });
  const here = await startRecorder(t, HERE, 9000, echo);
  assert.deepEqual(await connect(t, broker), ["ADDRESS_NOT_GLOBAL", "kept", 3, 2, null]);
  assert.equal(here.connections, 0);
});

it("a policy's broker keeps what came from its name servers, or nothing", async (t) => {
  await startRecorder(t, HERE, 9000, echo);
  for (const [maxAnswerAgeMs, sources, queries] of [
    [DEFAULT_LIMITS.maxAnswerAgeMs, ["asked", "kept", "kept"], 2],
    [0, ["asked", "asked", "asked"], 6],
  ] as const) {
    const broker = await lab(t, { limits: { maxAnswerAgeMs } });
    const seen: unknown[] = [];
    for (let n = 0; n < sources.length; n += 1) {
      const [reason, source] = await connect(t, broker);
      assert.equal(reason, "GRANTED");
      seen.push(source);
    }
    assert.deepEqual(seen, sources);
    assert.equal(broker.dns.queries.length, queries);
  }
});
