import type { GateFinding, GateFindingCode } from "./finding.js";

export const one = (code: GateFindingCode, about: string | null = null): GateFinding => ({
  code,
  about,
});

export const found = (code: GateFindingCode, abouts: readonly string[]): readonly GateFinding[] =>
  abouts.map((about) => one(code, about));

export const when = (
  condition: boolean,
  code: GateFindingCode,
  about: string | null = null,
): readonly GateFinding[] => (condition ? [one(code, about)] : []);
