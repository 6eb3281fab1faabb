import { isDeepStrictEqual } from "node:util";
import type { CheckReport, CheckRequest } from "../check/index.js";

/** The exhaustive check, here or in a thread of its own. */
export type Check = (request: CheckRequest) => CheckReport | Promise<CheckReport>;

/**
 * A check that remembers what it was asked last: while nothing changes the question is the same each
 * time, and the answer takes seconds.
 */
export const rememberingCheck = (check: Check): Check => {
  let last: { readonly request: CheckRequest; readonly report: CheckReport } | null = null;
  return async (request) => {
    if (last === null || !isDeepStrictEqual(request, last.request)) {
      last = { request, report: await check(request) };
    }
    return last.report;
  };
};
