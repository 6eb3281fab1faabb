import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { GateFinding } from "../gate/index.js";
import type { Expected } from "../realise/index.js";
import { step, type WatchEffect, type WatchEvent, type WatchState, watching } from "./index.js";
import type { Look } from "./look.js";
import { RESTART_MS, UNCLEAR_MS } from "./step.js";

type Found =
  | "image-different"
  | "guest-observation-gap"
  | "guest-readback-difference"
  | "guest-stray-port";
const finding = (code: Found) => ({ code: `boundary.${code}`, about: "web" }) as const;
const TO = {} as Expected;
const UNCLEAR: Look = {
  kind: "unclear",
  finding: { code: "boundary.guest-binding-refused", about: "BIND_PORT_UNOBSERVABLE" },
};
const drift: Look = { kind: "drift", findings: [finding("image-different")] };
const looks = fc.constantFrom<Look>({ kind: "same" }, { kind: "moved", to: TO }, UNCLEAR, drift);
const observations = fc.constantFrom<readonly GateFinding[]>(
  [],
  [finding("guest-observation-gap")],
  [finding("image-different")],
  [finding("guest-readback-difference")],
);

/** What an effect may lead to, so that a history is one that can happen. */
const resultOf = (
  effect: WatchEffect,
  { look, findings }: Turn,
  { fails, at }: { readonly fails: boolean; readonly at: number },
): WatchEvent | null => {
  if (effect.kind === "report") return null;
  if (fails) return { kind: "failed", what: effect.kind, code: "ENGINE_UNREACHABLE" };
  switch (effect.kind) {
    case "look":
      return { kind: "looked", look, at };
    case "bind":
      return { kind: "bound" };
    case "observe":
      return { kind: "observed", findings, at };
    case "drop":
      return { kind: "dropped" };
  }
};

interface Turn {
  readonly outside: WatchEvent | null;
  readonly look: Look;
  readonly findings: readonly GateFinding[];
  readonly ms: number;
}

const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    outside: fc.constantFrom<WatchEvent | null>({ kind: "stirred" }, { kind: "tick" }, null, null),
    look: looks,
    findings: observations,
    ms: fc.nat(5_000),
  }),
  { maxLength: 60 },
);
const histories = fc.tuple(turns, fc.array(fc.nat(60), { maxLength: 3 }));
const runs = { numRuns: profile.fuzz, seed: profile.seed };

type Seen = {
  readonly before: WatchState;
  readonly event: WatchEvent;
  readonly after: WatchState;
  readonly effects: readonly WatchEffect[];
};

/** Plays a history: each turn something happens outside, and the oldest effect comes to its end. */
const play = (
  mode: WatchState["mode"],
  [turnsOf, failing]: readonly [readonly Turn[], readonly number[]],
): readonly Seen[] => {
  let state = watching(mode);
  let at = 0;
  const pending: WatchEffect[] = [];
  const seen: Seen[] = [];
  const take = (event: WatchEvent) => {
    const { state: after, effects } = step(state, event);
    seen.push({ before: state, event, after, effects });
    state = after;
    pending.push(...effects.filter(({ kind }) => kind !== "report"));
  };
  for (const [index, turn] of turnsOf.entries()) {
    at += turn.ms;
    if (turn.outside !== null) take(turn.outside);
    const effect = pending.shift();
    if (effect === undefined) continue;
    const fails = failing.includes(index);
    const event = resultOf(effect, turn, { fails, at });
    if (event !== null) take(event);
  }
  return seen;
};

const kinds = (effects: readonly WatchEffect[]) => effects.map(({ kind }) => kind);

describe("a watch", () => {
  it("is never open again once it closed, and binds nothing then", () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { before, after, effects } of play("close", history)) {
          if (before.isOpen) continue;
          assert.equal(after.isOpen, false);
          assert.deepEqual(
            kinds(effects).filter((kind) => kind !== "drop" && kind !== "report"),
            [],
          );
        }
      }),
      runs,
    );
  });

  it("closes at once on drift and on whatever fails, before it reports", () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { before, event, after, effects } of play("close", history)) {
          const isBad =
            (event.kind === "looked" && event.look.kind === "drift") ||
            (event.kind === "failed" && event.what !== "drop");
          if (!before.isOpen || !isBad) continue;
          assert.equal(after.isOpen, false);
          assert.deepEqual(kinds(effects), ["drop", "report"]);
        }
      }),
      runs,
    );
  });

  it("closes in no other case than drift, a failure, findings, or what stays unclear", () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { before, event, after } of play("close", history)) {
          if (!before.isOpen || after.isOpen) continue;
          assert.ok(["looked", "failed", "observed"].includes(event.kind), event.kind);
          if (event.kind === "looked") assert.ok(["drift", "unclear"].includes(event.look.kind));
          if (event.kind === "observed") assert.ok(event.findings.length > 0);
        }
      }),
      runs,
    );
  });

  it("lays one floor at a time, so that each begins after the last one's end", () => {
    fc.assert(
      fc.property(histories, (history) => {
        let drops = 0;
        for (const { event, after, effects } of play("close", history)) {
          if (event.kind === "dropped") drops -= 1;
          if (event.kind === "failed" && event.what === "drop") drops -= 1;
          drops += kinds(effects).filter((kind) => kind === "drop").length;
          if (!after.isOpen) assert.equal(drops, after.busy ? 1 : 0);
        }
      }),
      runs,
    );
  });

  it("never closes to report, and does one thing at a time", () => {
    fc.assert(
      fc.property(fc.constantFrom("close", "report"), histories, (mode, history) => {
        let running = 0;
        for (const { event, after, effects } of play(mode as "close", history)) {
          if (mode === "report") assert.ok(after.isOpen && !kinds(effects).includes("drop"));
          if (["looked", "bound", "dropped"].includes(event.kind)) running -= 1;
          if (event.kind === "failed" && event.what !== "observe") running -= 1;
          running += kinds(effects).filter((kind) => kind === "look" || kind === "bind").length;
          // A floor doesn't wait for what is under way.
          running += kinds(effects).filter((kind) => kind === "drop").length;
          if (after.isOpen) assert.ok(running === (after.busy ? 1 : 0), `${running}`);
        }
      }),
      runs,
    );
  });

  const after = (...events: readonly WatchEvent[]) => {
    let last = step(watching("close"), { kind: "stirred" });
    for (const event of events) last = step(last.state, event);
    return last;
  };
  const unclear = (at: number): WatchEvent => ({
    kind: "looked",
    look: UNCLEAR,
    at,
  });
  const observed = (at: number, code: Parameters<typeof finding>[0]): WatchEvent => ({
    kind: "observed",
    findings: [finding(code)],
    at,
  });
  const same = (at: number): WatchEvent => ({ kind: "looked", look: { kind: "same" }, at });

  it("waits for what is unclear until its time is over, and not longer", () => {
    assert.deepEqual(after(unclear(0), unclear(UNCLEAR_MS - 1)).state.isOpen, true);
    assert.deepEqual(after(unclear(0), unclear(UNCLEAR_MS)).state.isOpen, false);
    const again = after(unclear(0), same(100), { kind: "stirred" }, unclear(UNCLEAR_MS));
    assert.equal(again.state.isOpen, true, "it was clear in between");
  });

  it("lets a container be down for a while, and nothing else be wrong", () => {
    for (const code of ["guest-observation-gap", "guest-stray-port"] as const) {
      const gap = (at: number) => observed(at, code);
      assert.equal(after(same(0), gap(0), gap(RESTART_MS - 1)).state.isOpen, true);
      assert.equal(after(same(0), gap(0), gap(RESTART_MS)).state.isOpen, false);
    }
    assert.equal(after(same(0), observed(0, "image-different")).state.isOpen, false);
  });

  it("doesn't believe an observation during which something moved", () => {
    const moved: WatchEvent = { kind: "looked", look: { kind: "moved", to: TO }, at: 1 };
    const late = after(same(0), { kind: "stirred" }, moved, observed(2, "image-different"));
    assert.equal(late.state.isOpen, true);
    assert.equal(late.state.due, true, "another one follows");
  });

  it("leaves rules to the looks where something happened while they were observed", () => {
    const rules = observed(1, "guest-readback-difference");
    const late = after(same(0), { kind: "stirred" }, rules);
    assert.equal(late.state.isOpen, true);
    assert.equal(late.state.due, true, "another one follows");
    const drifted: WatchEvent = { kind: "looked", look: drift, at: 2 };
    assert.equal(
      step(late.state, drifted).state.isOpen,
      false,
      "which closes, should they be wrong",
    );
    const image = observed(1, "image-different");
    assert.equal(after(same(0), { kind: "stirred" }, image).state.isOpen, false, "of rules alone");
    assert.equal(after(same(0), rules).state.isOpen, false, "control: nothing happened");
    assert.equal(after(same(0), { kind: "tick" }, rules).state.isOpen, false, "nor by itself");
  });

  it("closes at once, whatever is being done, and says each thing once", () => {
    const findings = [finding("guest-readback-difference")];
    const event = { kind: "drifted", findings } as const;
    const looking = after({ kind: "stirred" });
    const closed = step(looking.state, event);
    assert.deepEqual(
      closed.effects.map(({ kind }) => kind),
      ["drop", "report"],
    );
    assert.deepEqual(step(closed.state, event).effects, []);
    const told = step(watching("report"), event);
    assert.deepEqual(told.effects, [{ kind: "report", findings }]);
    assert.deepEqual(step(told.state, event).effects, [], "it was said");
    const well = step(told.state, { kind: "observed", findings: [], at: 1 });
    assert.deepEqual(step(well.state, event).effects, told.effects, "and is said again");
  });

  it("lays a floor again that somebody may have taken away", () => {
    const closed = after(
      { kind: "looked", look: drift, at: 0 },
      { kind: "dropped" },
      { kind: "stirred" },
    );
    assert.deepEqual(kinds(closed.effects), ["drop"]);
  });
});
