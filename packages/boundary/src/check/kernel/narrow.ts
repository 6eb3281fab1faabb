import { bitOf, type FieldSet, type Header } from "./field.js";
import { eitherMark, type Mark, testMark, UNMARKED, withBits } from "./mark.js";
import type { Item, Segment } from "./program.js";
import { type Test, tryTest } from "./test.js";

export type Verdict = "accept" | "drop" | "masquerade";

interface Narrowed {
  readonly items: readonly Item[];
  /** On leaving the chain without a verdict; null if nothing does. */
  readonly mark: Mark | null;
}

interface Place {
  readonly segment: Segment;
  readonly header: Header;
  readonly known: FieldSet;
  /** Marks with which packets may leave the base chain by an accept. */
  readonly accepted: Mark[];
}

/** The tests that are still open; null if one fails. */
const openTests = (tests: readonly Test[], mark: Mark, place: Place): readonly Test[] | null => {
  let open: Test[] | null = null;
  for (const test of tests) {
    const answer =
      test.match.kind === "mark"
        ? testMark(mark, test.match)
        : tryTest(test, place.segment.visit, place.segment.tracked, place.header, place.known);
    if (answer === false) return null;
    if (answer === undefined) {
      open ??= [];
      open.push(test);
    }
  }
  return open ?? NONE;
};

const NONE: readonly Test[] = [];

const joined = (marks: readonly Mark[]): Mark | null =>
  marks.length === 0 ? null : marks.reduce(eitherMark);

const narrowItems = (items: readonly Item[], entry: Mark, place: Place): Narrowed => {
  const left: Item[] = [];
  const leaving: Mark[] = [];
  let mark = entry;
  for (const item of items) {
    const tests = openTests(item.tests, mark, place);
    if (tests === null) continue;
    const certain = tests.length === 0;
    const kept: Item = tests.length === item.tests.length ? item : { ...item, tests };
    switch (item.effect.kind) {
      case "accept":
      case "masquerade":
        place.accepted.push(mark);
        left.push(kept);
        if (certain) return { items: left, mark: joined(leaving) };
        break;
      case "drop":
        left.push(kept);
        if (certain) return { items: left, mark: joined(leaving) };
        break;
      case "return":
        leaving.push(mark);
        left.push(kept);
        if (certain) return { items: left, mark: joined(leaving) };
        break;
      case "set-mark": {
        left.push(kept);
        const set = withBits(mark, item.effect.bits);
        mark = certain ? set : eitherMark(mark, set);
        break;
      }
      case "jump": {
        const inner = narrowItems(item.body, mark, place);
        if (inner.items.length === 0) break;
        left.push({ tests, effect: item.effect, body: inner.items });
        if (certain && inner.mark === null) return { items: left, mark: joined(leaving) };
        if (inner.mark !== null) mark = certain ? inner.mark : eitherMark(mark, inner.mark);
        break;
      }
    }
  }
  leaving.push(mark);
  return { items: left, mark: joined(leaving) };
};

const STATE = bitOf("state");

/**
 * A chain that drops whatever comes to it, found without looking at the others: most packets that
 * there can be are dropped by a short one.
 */
export const hasDroppingChain = (
  segments: readonly Segment[],
  header: Header,
  known: FieldSet,
): boolean => {
  for (const segment of segments) {
    if (segment.readsMark || segment.items.length > SHORT) continue;
    const place: Place = { segment, header, known, accepted: [] };
    if (dropsAll(narrowItems(segment.items, UNMARKED, place).items)) return true;
  }
  return false;
};

const SHORT = 8;

/** What a packet may still meet, given what is known of it. */
export const narrow = (
  segments: readonly Segment[],
  header: Header,
  known: FieldSet,
): readonly Segment[] => {
  const left: Segment[] = [];
  let mark = UNMARKED;
  for (const segment of segments) {
    // Only a flow's first packet is shown to nat chains (nf_nat_core.c).
    if (segment.nat && (known & STATE) !== 0 && header.state !== "new") continue;
    const accepted: Mark[] = [];
    const { items, mark: end } = narrowItems(segment.items, mark, {
      segment,
      header,
      known,
      accepted,
    });
    if (items.length === 0 && segment.policy === "accept") continue;
    left.push({ ...segment, items });
    const after = joined(end === null ? accepted : [...accepted, end]);
    if (after === null) break;
    mark = after;
  }
  return left;
};

/** Whether whatever enters these rules is dropped by them. */
const dropsAll = (items: readonly Item[]): boolean => {
  for (const { tests, effect, body } of items) {
    switch (effect.kind) {
      case "drop":
        if (tests.length === 0) return true;
        break;
      case "set-mark":
        break;
      case "jump":
        if (tests.length === 0 && dropsAll(body)) return true;
        if (mayAccept(body)) return false;
        break;
      case "accept":
      case "masquerade":
      case "return":
        return false;
    }
  }
  return false;
};

const mayAccept = (items: readonly Item[]): boolean =>
  items.some(
    ({ effect, body }) =>
      effect.kind === "accept" || effect.kind === "masquerade" || mayAccept(body),
  );

const mayDecide = (items: readonly Item[]): boolean =>
  items.some(
    ({ effect, body }) => effect.kind === "drop" || effect.kind === "masquerade" || mayDecide(body),
  );

/** What becomes of every such packet, if it is the same for all. */
export const verdictOf = (segments: readonly Segment[]): Verdict | undefined => {
  const dropped = segments.some(
    ({ items, policy }) => dropsAll(items) || (items.length === 0 && policy === "drop"),
  );
  if (dropped) return "drop";
  return segments.every(({ items, policy }) => policy === "accept" && !mayDecide(items))
    ? "accept"
    : undefined;
};
