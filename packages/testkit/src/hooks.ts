import type { InitializeHook, LoadHook } from "node:module";
import type { Swap } from "./swap.js";

let swaps: readonly Swap[] = [];

export const initialize: InitializeHook<string> = (given) => {
  swaps = JSON.parse(given);
};

export const load: LoadHook = (url, context, nextLoad) => {
  const swap = swaps.find((candidate) => url.endsWith(candidate.module));
  return swap === undefined
    ? nextLoad(url, context)
    : { format: "module", source: swap.source, shortCircuit: true };
};
