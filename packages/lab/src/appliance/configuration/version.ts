/** Three numbers with dots; a leading v is none of them. */
export const atLeast = (version: string, minimum: readonly [number, number, number]): boolean => {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of minimum.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
};

/**
 * pfSense-pkg-RESTAPI v2.8.0 is the first whose models have `dry_run`. To an older one it is an
 * unknown key like any other, so a dry run there is a write: which one it stands in for matters.
 */
export const DRY_RUN_SINCE = [2, 8, 0] as const;
