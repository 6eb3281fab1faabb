import type { LoadHook } from "node:module";
import type { Swap } from "./swap.js";

const swaps: readonly Swap[] = JSON.parse(process.env["DRYDOCK_TEST_SWAPS"] ?? "[]");

export const load: LoadHook = (url, context, nextLoad) => {
  const swap = swaps.find((candidate) => url.endsWith(candidate.module));
  return swap === undefined
    ? nextLoad(url, context)
    : { format: "module", source: swap.source, shortCircuit: true };
};
