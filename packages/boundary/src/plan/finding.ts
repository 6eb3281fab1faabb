import type { BoundaryCode } from "../codes.js";

/** Where in the file something is, from its top. */
export type Path = readonly (string | number)[];

export interface PlanFinding {
  readonly path: Path;
  readonly code: BoundaryCode;
  readonly what: string;
}

/** What was understood, and what was not. A plan with any finding is refused as a whole. */
export interface Lowered<T> {
  readonly value: readonly T[];
  readonly findings: readonly PlanFinding[];
}

export const lowered = <T>(parts: readonly Lowered<T>[]): Lowered<T> => ({
  value: parts.flatMap(({ value }) => value),
  findings: parts.flatMap(({ findings }) => findings),
});

export const finding = (path: Path, code: BoundaryCode, what: string): PlanFinding => ({
  path,
  code,
  what,
});
