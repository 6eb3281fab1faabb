/**
 * A seeded generator as a value: what is drawn from the same state is the same on every machine.
 * Good enough to vary faults, and nothing that a secret may come from.
 */
export type Chance = number & { readonly chance: unique symbol };

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The generator of a seed and of what it is for: each use draws from one of its own. */
export const chanceOf = (seed: number, ...purpose: readonly (string | number)[]): Chance => {
  let hash = FNV_OFFSET;
  // The separator keeps ("ab", "c") and ("a", "bc") apart.
  for (const unit of [seed, ...purpose].join("\u0000"))
    hash = Math.imul(hash ^ unit.charCodeAt(0), FNV_PRIME) >>> 0;
  return hash as Chance;
};

/** A number from 0 up to, not including, 1, and the generator after it (mulberry32). */
export const draw = (chance: Chance): readonly [number, Chance] => {
  const next = (chance + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return [((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, next as Chance];
};

/** A whole number from `min` to `max`, both included. */
export const drawBetween = (
  chance: Chance,
  min: number,
  max: number,
): readonly [number, Chance] => {
  const [value, next] = draw(chance);
  return [min + Math.floor(value * (max - min + 1)), next];
};
