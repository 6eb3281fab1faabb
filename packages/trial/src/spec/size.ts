import { DrydockError, quote } from "@drydock/evidence";

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

export const SIZE_PATTERN = /^(0|[1-9][0-9]{0,15})(B|KiB|MiB|GiB|TiB)$/;

/**
 * `512MiB` → 536870912. Binary units only: "MB" means two different numbers to two people.
 *
 * @throws DrydockError SPEC_SIZE
 */
export const parseSize = (text: string): number => {
  const match = SIZE_PATTERN.exec(text);
  const bytes = Number(match?.[1]) * (UNITS[match?.[2] ?? ""] ?? Number.NaN);
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new DrydockError("SPEC_SIZE", `${quote(text)} is not a size`, {
    fix: "Write a whole number and a unit: 64KiB, 512MiB, 8GiB.",
  });
};

/** The largest unit that leaves a whole number. */
export const formatSize = (bytes: number): string => {
  const unit = ["TiB", "GiB", "MiB", "KiB"].find((name) => bytes % (UNITS[name] ?? 1) === 0);
  return bytes === 0 || unit === undefined ? `${bytes}B` : `${bytes / (UNITS[unit] ?? 1)}${unit}`;
};
