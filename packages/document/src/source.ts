import type { Place } from "./report.js";

/** A file as data, and where in it what stands. */
export interface Source {
  readonly value: unknown;
  /** Of the value at a path, or of the closest one around it when there is none. */
  readonly placeOf: (path: readonly PropertyKey[]) => Place;
  /** Of a key in the object at a path: where there shouldn't be one, the place is the key. */
  readonly keyPlaceOf: (path: readonly PropertyKey[], key: PropertyKey) => Place;
}
