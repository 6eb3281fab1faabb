/** What isn't as it was written. Each is fatal: no kind weighs less than another. */
export type DifferenceKind =
  | "table-missing"
  /** A table of an expected name that says nothing of its owner, or another. */
  | "table-foreign"
  /** Of ours, with another digest, authority or realisation in its comment. */
  | "table-comment"
  /** Flags: a dormant table's rules don't hold. */
  | "table-flags"
  | "object-extra"
  | "chain-missing"
  | "chain-extra"
  /** Type, hook, priority or policy; also when nft didn't say. */
  | "chain-base"
  | "rule-missing"
  | "rule-extra"
  /** An extra rule that stands before an expected one. */
  | "rule-shadowing"
  | "rule-changed"
  | "rule-moved"
  /** Another table's chain that accepts at an earlier or equal priority of the same hook. */
  | "foreign-accept"
  /** Another table's rule that sets bits that ours believe, before they look. */
  | "foreign-mark"
  /** Another table's rule that changes where a packet goes after it was judged. */
  | "foreign-rewrite"
  /** Another table's rule that takes packets around the hooks, or their state away. */
  | "foreign-bypass"
  | "foreign-unreadable"
  /** A sysctl or a bridge's flag that the rules depend on. */
  | "setting";

export interface Difference {
  readonly kind: DifferenceKind;
  /** `inet drydock_…`; null for a setting. */
  readonly table: string | null;
  readonly chain: string | null;
  /** The rule's identity, or the comment of one that has none of ours. */
  readonly rule: string | null;
  /** Bounded; null where there is none. */
  readonly expected: string | null;
  readonly found: string | null;
}

/** Loading ours again mends it: nothing mends what another table or a setting does but its owner. */
export const isOfOwnTables = ({ kind }: Difference): boolean =>
  kind !== "setting" && !kind.startsWith("foreign-");

/** More say nothing new, and a table that was replaced differs in every rule. */
export const MAX_DIFFERENCES = 256;
const MAX_TEXT = 400;

/** A difference with its texts bounded: what was found may be long, and is somebody else's. */
export const difference = (
  kind: DifferenceKind,
  place: Partial<Pick<Difference, "table" | "chain" | "rule">>,
  expected: string | null,
  found: string | null,
): Difference => ({
  kind,
  table: place.table ?? null,
  chain: place.chain ?? null,
  rule: bounded(place.rule ?? null),
  expected: bounded(expected),
  found: bounded(found),
});

const bounded = (text: string | null): string | null =>
  text === null || text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
