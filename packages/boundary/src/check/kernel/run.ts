import type { Header } from "./field.js";
import type { Verdict } from "./narrow.js";
import type { Item, Segment } from "./program.js";
import { type Test, tryTest } from "./test.js";

const EVERY_FIELD = 0xffff;

/** What becomes of one packet. */
export const run = (segments: readonly Segment[], header: Header): Verdict => {
  let mark = 0;
  let masqueraded = false;

  const holds = (test: Test, segment: Segment): boolean => {
    const { match } = test;
    return match.kind === "mark"
      ? ((mark & match.mask) === (match.value | 0)) !== match.not
      : tryTest(test, segment.visit, segment.tracked, header, EVERY_FIELD) === true;
  };
  const pass = (items: readonly Item[], segment: Segment): "accept" | "drop" | null => {
    next: for (const { tests, effect, body } of items) {
      for (const test of tests) if (!holds(test, segment)) continue next;
      switch (effect.kind) {
        case "accept":
        case "drop":
          return effect.kind;
        case "masquerade":
          masqueraded = true;
          return "accept";
        case "return":
          return null;
        case "set-mark":
          mark |= effect.bits;
          break;
        case "jump": {
          const verdict = pass(body, segment);
          if (verdict !== null) return verdict;
        }
      }
    }
    return null;
  };

  for (const segment of segments) {
    if (segment.nat && header.state !== "new") continue;
    if ((pass(segment.items, segment) ?? segment.policy) === "drop") return "drop";
  }
  return masqueraded ? "masquerade" : "accept";
};
