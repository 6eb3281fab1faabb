import type { JsonValue } from "../json/value.js";
import { DIGEST_PATTERN, ID_PATTERN } from "../schema/common.js";
import type { Mechanism, Role, WitnessClass } from "./vocabulary.js";

/** What a required measurement must be. `count` is an integer ≥ 0. */
export type MeasurementKind = "id" | "digest" | "text" | "count" | "boolean" | "list" | "object";

export interface EventType {
  /** Logs in which it may stand. */
  readonly roles: readonly Role[];
  readonly class: WitnessClass;
  readonly mechanism: Mechanism | null;
  /** Allowed decisions; null means that the record carries none. */
  readonly decisions: readonly string[] | null;
  /** Measurements that must be there; others may be, and no rule reads those. */
  readonly measurements: Readonly<Record<string, MeasurementKind>>;
  readonly doc: string;
}

export const isMeasurementOf = (kind: MeasurementKind, value: JsonValue | undefined): boolean => {
  switch (kind) {
    case "id":
      return typeof value === "string" && ID_PATTERN.test(value);
    case "digest":
      return typeof value === "string" && DIGEST_PATTERN.test(value);
    case "text":
      return typeof value === "string";
    case "count":
      return typeof value === "number" && value >= 0;
    case "boolean":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
  }
};
