import type { Operation, Phase } from "./model.js";

/** RFC 9110 §9.2.1: what only reads. Everything else counts as a mutation, unknown methods as well. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

export const isMutation = (method: string): boolean => !SAFE_METHODS.has(method);

/**
 * Guard: where a request stands in its cycle. A read is told from a read by whether the operation
 * has sent its mutation, never by being the first through the proxy.
 */
export const phaseOf = (operation: Operation, mutated: boolean, method: string): Phase => {
  if (operation === "rollback") {
    if (isMutation(method)) return "rollback";
    return mutated ? "rollback-readback" : "pre-rollback-read";
  }
  if (isMutation(method)) return "mutation";
  return mutated ? "readback" : "pre-send-read";
};
