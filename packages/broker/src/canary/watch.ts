import type { CanarySighting } from "./canary.js";
import type { CompiledCanaries } from "./compile.js";
import { createViews, type Found, WIDEST } from "./view.js";

/**
 * Watches one direction of one stream. Detection only, and not of an adaptive thief: what is
 * compressed, encrypted, reordered or encoded in another way passes unseen.
 */
export interface CanaryWatch {
  /** Reads the next bytes. Each encoding of a canary is reported once for each watch. */
  push(bytes: Uint8Array): readonly CanarySighting[];
  /**
   * How many of the bytes read last may be the start of a sighting; 0 for starts shorter than
   * `minimum` characters. Whoever mustn't pass a sighting on holds these back.
   */
  undecided(minimum: number): number;
}

export const createCanaryWatch = ({
  automaton,
  filter,
  meanings,
  longest,
}: CompiledCanaries): CanaryWatch => {
  const seen = new Set<string>();
  const views = createViews(automaton);
  /** Raw bytes that a sighting takes up at most. */
  const reach = WIDEST * (longest + 1);
  let offset = 0;

  const push = (bytes: Uint8Array): readonly CanarySighting[] => {
    const sightings: CanarySighting[] = [];
    const scan = (from: number, to: number): void => {
      for (const view of views) {
        const found: Found = (pattern, end) => {
          const meaning = meanings[pattern];
          const key = `${meaning?.canary} ${meaning?.encoding}`;
          if (meaning === undefined || seen.has(key)) return;
          seen.add(key);
          sightings.push({ ...meaning, layer: view.layer, end: offset + end });
        };
        view.read(bytes, from, to, found);
      }
    };

    // Whatever began in the bytes before ends within reach.
    let done = Math.min(reach, bytes.length);
    scan(0, done);
    const scanAround = (from: number, to: number): void => {
      if (from > done) for (const view of views) view.reset();
      scan(Math.max(from, done), to);
      done = to;
    };
    const next = filter.offsetsIn(bytes);
    for (let at = next(0); at < bytes.length; at = next(at + 1)) {
      const to = Math.min(at + reach, bytes.length);
      if (to > done) scanAround(at - reach, to);
    }
    // Whatever begins here and ends in the bytes to come.
    if (done < bytes.length) scanAround(bytes.length - reach, bytes.length);
    offset += bytes.length;
    return sightings;
  };

  return {
    push: (bytes) => (meanings.length === 0 ? NONE : push(bytes)),
    undecided: (minimum) => Math.max(...views.map((view) => view.undecided(minimum))),
  };
};

const NONE: readonly CanarySighting[] = [];
