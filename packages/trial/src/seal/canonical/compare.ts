import type { CanonicalField, CanonicalObservation } from "./observation.js";

export type CanonicalComparison =
  | { readonly kind: "same"; readonly complete: boolean }
  | { readonly kind: "changed"; readonly fields: readonly CanonicalField[] };

const FIELDS: readonly CanonicalField[] = [
  "pathIdentity",
  "head",
  "index",
  "tree",
  "untracked",
  "refs",
  "configuration",
];

/** Did anything about the checkout change? One differing field is enough. */
export const compareCanonical = (
  before: CanonicalObservation,
  after: CanonicalObservation,
): CanonicalComparison => {
  const fields = FIELDS.filter((field) => !equal(before[field], after[field]));
  return fields.length === 0
    ? { kind: "same", complete: before.coverage.complete && after.coverage.complete }
    : { kind: "changed", fields };
};

type Identity = CanonicalObservation["pathIdentity"];

const equal = (a: string | Identity | null, b: string | Identity | null): boolean => {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  return a.realpath === b.realpath && a.device === b.device && a.inode === b.inode;
};
