import type { ListName, Stored, Subsystem } from "../configuration/index.js";
import type { Field, Surroundings } from "./field.js";

/**
 * Objects of one list. The package allows 65,535; here a request must be answered in well under a
 * second, and what has to be unique is compared with all others.
 */
export const MAX_OBJECTS = 2_000;

/** A kind of object that the appliance has many of. */
export interface Model {
  readonly list: ListName;
  /** Singular and plural, as revisions name it. */
  readonly names: readonly [string, string];
  readonly subsystem: Subsystem | null;
  /** Applied at once, whether or not `apply` is asked for. */
  readonly alwaysApply?: true;
  /** Fewer than these are refused. */
  readonly minimum?: number;
  readonly fields: readonly Field[];
  /** Kept in the order of this field. */
  readonly sortBy?: string;
  /** Refuses to delete an object by throwing. */
  readonly mayDelete?: (object: Stored) => void;
  /** A last word on a new or changed object: what is stored of it. */
  readonly finish?: (object: Stored, surroundings: Surroundings) => Stored;
}
