import type { CanarySighting } from "./canary.js";
import type { CompiledCanaries } from "./compile.js";
import { createView, type View } from "./view.js";

/**
 * Watches one direction of one stream. Detection only, and not of an adaptive thief: what is
 * compressed, encrypted, reordered or encoded in another way passes unseen.
 */
export interface CanaryWatch {
  /** Reads the next bytes. Each form of a canary is reported once for each watch. */
  push(bytes: Uint8Array): readonly CanarySighting[];
  /**
   * How many of the bytes read last may be the start of a sighting; 0 for starts shorter than
   * `minimum` characters. Whoever mustn't pass a sighting on holds these back.
   */
  undecided(minimum: number): number;
}

export const createCanaryWatch = (canaries: CompiledCanaries): CanaryWatch => {
  const seen = new Set<string>();
  const views: readonly View[] = [
    createView(canaries.automaton, "none"),
    createView(canaries.automaton, "percent"),
    createView(canaries.automaton, "lines"),
  ];
  let offset = 0;

  return {
    push(bytes) {
      if (canaries.meanings.length === 0) return NONE;
      const sightings: CanarySighting[] = [];
      for (const view of views) {
        view.read(bytes, (pattern, at) => {
          const meaning = canaries.meanings[pattern];
          if (meaning === undefined) return;
          const key = `${meaning.canary} ${meaning.encoding}`;
          if (seen.has(key)) return;
          seen.add(key);
          sightings.push({ ...meaning, layer: view.layer, end: offset + at });
        });
      }
      offset += bytes.length;
      return sightings;
    },
    undecided: (minimum) => Math.max(...views.map((view) => view.undecided(minimum))),
  };
};

const NONE: readonly CanarySighting[] = [];
