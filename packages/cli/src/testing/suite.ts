import { after } from "node:test";
import type { Ending } from "./home.js";

/** Endings for what a whole suite shares: a hook made inside a hook would never run. */
export const suiteEndings = (): Ending => {
  const endings: (() => unknown)[] = [];
  after(async () => {
    for (const ending of endings.reverse()) await ending();
  });
  return { after: (ending) => endings.push(ending) };
};
