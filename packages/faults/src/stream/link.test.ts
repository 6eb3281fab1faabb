import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { Link, type Toxic } from "./link.js";
import type { Effect } from "./toxics/index.js";

/** A clock that stands until it is told the time; what is due then is called in order. */
const clock = () => {
  let now = 0;
  const waiting = new Set<{ readonly at: number; readonly call: () => void }>();
  return {
    timers: {
      now: () => now,
      after: (ms: number, call: () => void) => {
        const entry = { at: now + ms, call };
        waiting.add(entry);
        return () => void waiting.delete(entry);
      },
    },
    passTo: (time: number): void => {
      for (;;) {
        const [next] = [...waiting].sort((a, b) => a.at - b.at);
        if (next === undefined || next.at > time) break;
        waiting.delete(next);
        now = next.at;
        next.call();
      }
      now = time;
    },
  };
};

const lab = (...toxics: readonly Toxic[]) => {
  const { timers, passTo } = clock();
  const seen: string[] = [];
  const held = { total: 0 };
  const link = new Link({
    ...{ toxics, seed: 3, timers, held },
    onOutput: (output) => {
      const what = output.kind === "data" ? Buffer.from(output.bytes).toString() : output.kind;
      seen.push(`${timers.now()} ${what}`);
    },
    onRoom: () => undefined,
  });
  const push = (text: string): void => link.push({ kind: "data", bytes: Buffer.from(text) });
  return { link, push, passTo, seen, held };
};
const toxic = (effect: Effect, name: string = effect.type): Toxic => ({
  name,
  toxicity: 1,
  effect,
});
const latency = (ms: number): Effect => ({
  type: "latency",
  attributes: { latency: ms, jitter: 0 },
});
const timeout = (ms: number): Effect => ({ type: "timeout", attributes: { timeout: ms } });
const slowClose = (ms: number): Effect => ({ type: "slow_close", attributes: { delay: ms } });

describe("a direction with toxics", () => {
  it("adds the delays of several up, and keeps the order", () => {
    const { link, push, passTo, seen, held } = lab(
      toxic(latency(10), "a"),
      toxic(latency(30), "b"),
    );
    push("x");
    passTo(5);
    push("y");
    link.push({ kind: "end" });
    passTo(100);
    assert.deepEqual(seen, ["40 x", "45 y", "45 end"]);
    assert.equal(held.total, 0);
  });

  it("what waits goes on at once when its toxic is changed, and new bytes wait as they now have to", () => {
    const { link, push, passTo, seen } = lab(toxic(latency(50)));
    push("x");
    passTo(10);
    link.update(toxic(latency(20)));
    push("y");
    passTo(100);
    assert.deepEqual(seen, ["10 x", "30 y"]);
  });

  it("what waits goes on at once when its toxic is taken away, through those behind it", () => {
    const { link, push, passTo, seen } = lab(toxic(latency(50), "a"), toxic(latency(7), "b"));
    push("x");
    passTo(10);
    link.remove("a");
    push("y");
    passTo(100);
    assert.deepEqual(seen, ["17 x", "17 y"]);
  });

  it("an end that waits begins to wait anew when its toxic is changed", () => {
    const { link, passTo, seen } = lab(toxic(slowClose(50)));
    link.push({ kind: "end" });
    passTo(10);
    link.update(toxic(slowClose(30)));
    passTo(100);
    assert.deepEqual(seen, ["40 end"]);
  });

  it("a time-out that is changed closes at its new time, and taken away it closes at once", () => {
    const changed = lab(toxic(timeout(50)));
    changed.push("x");
    changed.passTo(10);
    changed.link.update(toxic(timeout(60)));
    changed.passTo(200);
    assert.deepEqual(changed.seen, ["70 close"]);
    const removed = lab(toxic(timeout(0)));
    removed.push("x");
    removed.passTo(10);
    removed.link.remove("timeout");
    assert.deepEqual(removed.seen, ["10 close"]);
  });

  it("a toxic that doesn't affect it isn't there", () => {
    const { link, push, passTo, seen } = lab({ ...toxic(timeout(5)), toxicity: 0 });
    push("x");
    passTo(100);
    link.remove("timeout");
    assert.deepEqual(seen, ["0 x"]);
  });

  it("counts what it holds, and forgets it when it is closed", () => {
    const { link, push, held, passTo, seen } = lab(toxic(latency(50)));
    push("x".repeat(1000));
    assert(held.total >= 1000);
    link.close();
    assert.equal(held.total, 0);
    passTo(100);
    assert.deepEqual(seen, []);
  });

  it("loses and reorders nothing, whatever is added, changed and taken away meanwhile", () => {
    const name = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant("push" as const),
          text: fc.string({ minLength: 1, maxLength: 9 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat({ max: 40 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constantFrom("add" as const, "update" as const),
          name,
          ms: fc.nat({ max: 60 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { link, push, passTo, seen, held } = lab();
        const there = new Set<string>();
        let [now, sent] = [0, ""];
        for (const one of steps) {
          if (one.do === "push") {
            push(one.text);
            sent += one.text;
          } else if (one.do === "pass") {
            now += one.ms;
            passTo(now);
          } else if (one.do === "remove") {
            link.remove(one.name);
            there.delete(one.name);
          } else if (one.do === "update") link.update(toxic(latency(one.ms), one.name));
          else if (!there.has(one.name)) {
            link.add(toxic(latency(one.ms), one.name));
            there.add(one.name);
          }
        }
        link.push({ kind: "end" });
        passTo(now + 1_000);
        assert.equal(seen.map((line) => line.slice(line.indexOf(" ") + 1)).join(""), `${sent}end`);
        assert.equal(held.total, 0);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
