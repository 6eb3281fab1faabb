import type { RequestRule } from "../policy/model.js";

/**
 * Index of the first rule that admits a request, or −1. Guard. A rule's path is exact, or a prefix
 * when it ends in `/`; it is compared byte by byte with the path before any query, undecoded.
 */
export const matchingRule = (rules: readonly RequestRule[], method: string, path: string): number =>
  rules.findIndex(
    (rule) =>
      rule.methods.includes(method) &&
      (rule.path.endsWith("/") ? path.startsWith(rule.path) : path === rule.path),
  );
