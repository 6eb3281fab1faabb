import { DrydockError, quote } from "@drydock/evidence";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export const DURATION_PATTERN = /^(0|[1-9][0-9]{0,11})(ms|s|m|h)$/;

/**
 * `10m` → 600000, in milliseconds.
 *
 * @throws DrydockError SPEC_DURATION
 */
export const parseDuration = (text: string): number => {
  const match = DURATION_PATTERN.exec(text);
  const millis = Number(match?.[1]) * (UNITS[match?.[2] ?? ""] ?? Number.NaN);
  if (Number.isSafeInteger(millis)) return millis;
  throw new DrydockError("SPEC_DURATION", `${quote(text)} is not a duration`, {
    fix: "Write a whole number and a unit: 500ms, 60s, 10m, 1h.",
  });
};

export const formatDuration = (millis: number): string => {
  const unit = ["h", "m", "s"].find((name) => millis % (UNITS[name] ?? 1) === 0);
  return millis === 0 || unit === undefined
    ? `${millis}ms`
    : `${millis / (UNITS[unit] ?? 1)}${unit}`;
};
