/** Three numbers with dots; a leading v is none of them. */
export const atLeast = (version: string, minimum: readonly [number, number, number]): boolean => {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of minimum.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
};

/** The first version that knows `dry_run`. Older ones ignore it, as any unknown key, and write. */
export const DRY_RUN_SINCE = [2, 8, 0] as const;
