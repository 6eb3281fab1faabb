import type { CanarySighting } from "./canary.js";
import type { CompiledCanaries } from "./compile.js";
import { createViews, type Found } from "./view.js";

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
  const views = createViews(automaton, longest);
  /** Raw bytes that a sighting takes up at most, with what there may be of the next byte. */
  const reachOf = (width: number): number => width * (longest + 1);
  const reach = reachOf(Math.max(...views.map(({ width }) => width)));
  let offset = 0;

  const push = (bytes: Uint8Array): readonly CanarySighting[] => {
    const sightings: CanarySighting[] = [];
    /** `from` and `to` are `reach` away from what was found: less is enough for most views. */
    const scan = (from: number, to: number): void => {
      for (const view of views) {
        const found: Found = (pattern, end) => {
          const meaning = meanings[pattern];
          const key = `${meaning?.canary} ${meaning?.encoding}`;
          if (meaning === undefined || seen.has(key)) return;
          seen.add(key);
          sightings.push({ ...meaning, layer: view.layer, end: offset + end });
        };
        const spare = reach - reachOf(view.width);
        if (from > 0) view.reset();
        const start = from > 0 ? from + spare : 0;
        view.read(bytes, start, to < bytes.length ? to - spare : to, found);
      }
    };

    // Whatever began in the bytes before ends within reach.
    let [from, to] = [0, Math.min(reach, bytes.length)];
    const cover = (start: number, end: number): void => {
      if (start > to) {
        scan(from, to);
        from = start;
      }
      to = Math.min(end, bytes.length);
    };
    const next = filter.offsetsIn(bytes);
    // Where there is one offset there are more: those within reach of it are covered unasked.
    for (let at = next(0); at < bytes.length; at = next(at + reach))
      cover(at - reach, at + 2 * reach);
    // Whatever begins here and ends in the bytes to come.
    cover(bytes.length - reach, bytes.length);
    scan(from, to);
    offset += bytes.length;
    return sightings;
  };

  return {
    push: (bytes) => (meanings.length === 0 ? NONE : push(bytes)),
    undecided: (minimum) => Math.max(...views.map((view) => view.undecided(minimum))),
  };
};

const NONE: readonly CanarySighting[] = [];
