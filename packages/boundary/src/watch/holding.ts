import type { Expected } from "../realise/index.js";

/** What the kernel has to hold. Two are the same moment's if they are the same object. */
export type Holding =
  /** Nobody looked yet. */
  | { readonly kind: "unknown" }
  | { readonly kind: "settled"; readonly held: Expected }
  /** Rules are being loaded: until it is done, what was held before and what is loaded are both right. */
  | {
      readonly kind: "changing";
      readonly from: Expected | null;
      readonly done: Promise<unknown>;
    };

export const UNKNOWN: Holding = { kind: "unknown" };

/** Another moment than every one before, whatever is held. */
export const settledOn = (held: Expected | null): Holding =>
  held === null ? UNKNOWN : { kind: "settled", held };

/** What a floor has to cover and a look is compared with; null before the first look. */
export const heldIn = (holding: Holding): Expected | null => {
  switch (holding.kind) {
    case "unknown":
      return null;
    case "settled":
      return holding.held;
    case "changing":
      return holding.from;
  }
};

/** Whether nothing was loaded from one moment to the other, so that one set of rules was right. */
export const wasQuiet = (before: Holding, now: Holding): boolean =>
  before.kind === "settled" && now === before;
