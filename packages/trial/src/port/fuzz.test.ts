import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { profile } from "@drydock/testkit";
import type { GuestMessage } from "@drydock/wire";
import fc from "fast-check";
import { type GuestScript, honest } from "../testing/fake-guest.js";
import type { Tamper } from "../testing/pipe.js";
import {
  BULK,
  connected,
  run,
  type SessionOptions,
  type TestSession,
  testSession,
} from "../testing/session.js";

/** Everything in these pipes moves within a few turns; what takes longer waits for bytes. */
const QUIET_MS = 25;
/** Ending a session waits for nothing of the guest; this much is a busy machine's. */
const END_MS = 20_000;

/**
 * A whole run over one session, with a controller that gives up when it hears nothing: whatever the
 * guest sends, every step is answered or refused, and the end comes at once.
 */
const play = async (options: SessionOptions): Promise<TestSession> => {
  const endings: (() => void)[] = [];
  const session = testSession({ after: (ending) => endings.push(ending) }, options);
  const { port } = session;
  try {
    const steps = [
      () => connected(session),
      () => port.handshake({ upper: null }),
      () => port.grant({ channel: BULK }),
      () => run(session),
      () =>
        port.put({ from: "source", stream: null, destination: "/w", owner: { uid: 1, gid: 1 } }),
      () => port.collect({ root: "/w" }),
    ];
    let answered = true;
    const pending: Promise<unknown>[] = [];
    for (const step of steps) {
      if (!answered) break;
      const outcome = (async () => step())().then(
        () => "answered",
        () => "refused",
      );
      pending.push(outcome);
      answered = (await Promise.race([outcome, delay(QUIET_MS, "silent")])) === "answered";
    }
    await within("revoke", port.revoke({ reason: "ended" }));
    await within("answers to everything that was asked", Promise.all(pending));
    await within("end", port.end({ clean: false }));
    assert.ok(session.told.length <= 1, session.told.join());
    assert.equal(session.records().at(-1), "port.end");
    return session;
  } finally {
    for (const ending of endings) ending();
  }
};

const within = async (what: string, outcome: unknown): Promise<void> => {
  const late = delay(END_MS, "late", { ref: false });
  assert.notEqual(await Promise.race([outcome, late]), "late", `${what} took too long`);
};

interface Damage {
  readonly at: number;
  readonly kind: "flip" | "drop" | "repeat" | "insert" | "rest";
  readonly bytes: Uint8Array;
}

const damage = fc.record<Damage>({
  at: fc.nat(2500),
  kind: fc.constantFrom("flip", "drop", "repeat", "insert", "rest"),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
});

/** Damages the guest's bytes at given offsets, whatever the pieces that they come in. */
const damaging = (damages: readonly Damage[]): Tamper => {
  let offset = 0;
  let silent = false;
  return (chunk) => {
    if (silent) return [];
    const begin = offset;
    offset += chunk.length;
    let now = chunk;
    for (const { at, kind, bytes } of damages) {
      if (at < begin || at >= offset) continue;
      const [head, tail] = [now.subarray(0, at - begin), now.subarray(at - begin)];
      if (kind === "rest") {
        silent = true;
        now = head;
      } else now = Buffer.concat([head, ...changed(kind, bytes, tail)]);
    }
    return now.length === 0 ? [] : [now];
  };
};

const changed = (
  kind: Exclude<Damage["kind"], "rest">,
  bytes: Uint8Array,
  tail: Buffer,
): readonly Uint8Array[] => {
  switch (kind) {
    case "flip":
      return [tail.map((byte, index) => (index === 0 ? byte ^ (bytes[0] ?? (1 || 1)) : byte))];
    case "drop":
      return [tail.subarray(bytes.length)];
    case "repeat":
      return [tail.subarray(0, bytes.length), tail];
    case "insert":
      return [bytes, tail];
  }
};

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

test("an undamaged session says nothing of a violation", async () => {
  const { told } = await play({ artifacts: ["**"] });
  assert.deepEqual(told, []);
});

test("damaged bytes: each session ends, tells at most one thing, and leaves its memory", async (t) => {
  const told = new Map<string, number>();
  const runs = Math.min(profile.fuzz, 20_000);
  let warm = 0;
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
      const session = await play({ tamper: damaging(damages), artifacts: ["**"] });
      const [first = "nothing"] = session.told;
      told.set(first, (told.get(first) ?? 0) + 1);
      count += 1;
      if (count === Math.ceil(runs / 4)) {
        collectGarbage();
        warm = process.memoryUsage().heapUsed;
      }
    }),
    { seed: profile.seed, numRuns: runs },
  );
  collectGarbage();
  const growth = process.memoryUsage().heapUsed - warm;
  t.diagnostic(`${runs} runs; heap grew by ${growth} bytes; ${JSON.stringify([...told])}`);
  assert.ok(growth < 16 * 1024 * 1024, `the heap grew by ${growth} bytes`);
  assert.ok([...told.keys()].some((what) => what.startsWith("violation")));
});

const name = fc.constantFrom("e1", "e2", "x", "drydock.bulk.0");
const count = fc.nat(5);
const message: fc.Arbitrary<GuestMessage> = fc.oneof(
  fc.record({
    type: fc.constant("execStarted" as const),
    exec: name,
    pid: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    type: fc.constant("execExit" as const),
    exec: name,
    status: fc.oneof(
      fc.record({ kind: fc.constant("exit" as const), code: fc.nat(255) }),
      fc.record({ kind: fc.constant("signal" as const), signal: fc.integer({ min: 1, max: 64 }) }),
    ),
  }),
  fc.record({ type: fc.constant("channelOpen" as const), name: fc.constant("drydock.bulk.0") }),
  fc.record({ type: fc.constant("pong" as const), nonce: name }),
  fc.record({
    type: fc.constant("putDone" as const),
    stream: fc.integer({ min: 1, max: 9 }),
    files: count,
    bytes: count,
  }),
  fc.record({
    type: fc.constant("error" as const),
    ref: fc.option(fc.nat(8)),
    code: fc.constantFrom("spawn-failed" as const, "put-failed" as const),
    message: fc.string({ maxLength: 20, unit: "grapheme-ascii" }),
  }),
);

test("well-formed lies in any order: the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(message, { maxLength: 3 }), fc.boolean()), {
        minLength: 1,
        maxLength: 6,
      }),
      async (plan) => {
        let at = 0;
        const script: GuestScript = (asked, seq, guest) => {
          const [lies, answers] = plan[at++ % plan.length] ?? [[], true];
          for (const lie of lies) guest.tell(lie);
          if (answers) honest(asked, seq, guest);
        };
        await play({ script, artifacts: ["**"] });
      },
    ),
    { seed: profile.seed, numRuns: Math.min(profile.fuzz, 20_000) },
  );
});
