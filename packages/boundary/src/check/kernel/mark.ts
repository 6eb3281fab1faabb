/** What is known of a packet's mark: `value` counts where `known` has a bit. */
export interface Mark {
  readonly known: number;
  readonly value: number;
}

/** A packet enters without one: the kernel clears it between network namespaces. */
export const UNMARKED: Mark = { known: 0xffff_ffff | 0, value: 0 };

export const withBits = ({ known, value }: Mark, bits: number): Mark => ({
  known: known | bits,
  value: value | bits,
});

/** What is known whichever of the two it is. */
export const eitherMark = (one: Mark, other: Mark): Mark => {
  const known = one.known & other.known & ~(one.value ^ other.value);
  return { known, value: one.value & known };
};

export const testMark = (
  { known, value }: Mark,
  match: { readonly mask: number; readonly value: number; readonly not: boolean },
): boolean | undefined =>
  (known & match.mask) === (match.mask | 0)
    ? ((value & match.mask) === (match.value | 0)) !== match.not
    : undefined;
