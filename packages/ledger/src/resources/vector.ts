import { DrydockError } from "@drydock/evidence";

/**
 * What a run may occupy while it is alive. Every entry is a non-negative safe integer; a missing
 * entry is an error, never zero. All of them come back when the body is seen to be gone.
 */
export const RESOURCE_NAMES = [
  "liveBodies",
  "memoryBytes",
  /** Thousandths of one processor, held for as long as the run lives. */
  "cpuMillis",
  "diskBytes",
  /** Wall-clock time that live runs may still take, in milliseconds. */
  "wallMillis",
] as const;

export type ResourceName = (typeof RESOURCE_NAMES)[number];
export type Resources = Readonly<Record<ResourceName, number>>;

export const NOTHING: Resources = {
  liveBodies: 0,
  memoryBytes: 0,
  cpuMillis: 0,
  diskBytes: 0,
  wallMillis: 0,
};

/** @throws DrydockError RESOURCES_INVALID naming the first entry that is no amount. */
export const parseResources = (candidate: Resources): Resources => {
  for (const name of Object.keys(candidate)) {
    if (!(RESOURCE_NAMES as readonly string[]).includes(name)) {
      throw invalid(`"${name}" is no resource`);
    }
  }
  return eachResource((name) => amount(name, candidate[name]));
};

/** @throws DrydockError RESOURCES_INVALID when a sum is no longer exact. */
export const plus = (a: Resources, b: Resources): Resources =>
  eachResource((name) => amount(name, a[name] + b[name]));

/** Entry by entry `a − b`; an entry may be negative, so the result is not a `Resources` to store. */
export const difference = (a: Resources, b: Resources): Resources =>
  eachResource((name) => a[name] - b[name]);

export const sameResources = (a: Resources, b: Resources): boolean =>
  RESOURCE_NAMES.every((name) => a[name] === b[name]);

export const eachResource = (value: (name: ResourceName) => number): Resources => ({
  liveBodies: value("liveBodies"),
  memoryBytes: value("memoryBytes"),
  cpuMillis: value("cpuMillis"),
  diskBytes: value("diskBytes"),
  wallMillis: value("wallMillis"),
});

const amount = (name: ResourceName, value: number): number => {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw invalid(`${name} is ${value}`);
  }
  return value;
};

const invalid = (what: string): DrydockError<"RESOURCES_INVALID"> =>
  new DrydockError("RESOURCES_INVALID", `resource vector: ${what}`, {
    fix: `Give ${RESOURCE_NAMES.join(", ")} as whole numbers from 0 to 2^53 − 1.`,
  });
