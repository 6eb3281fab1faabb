import type { RunRow, RunVerdict } from "./row.js";

/** One word for a list of runs. CONCLUDING: the body is gone, the verdict isn't written yet. */
export type RunStatus = "RUNNING" | "CONCLUDING" | "HELD" | "REFUSED" | RunVerdict;

export const runStatus = (row: RunRow): RunStatus => {
  if (row.outcome === null) {
    if (row.state === "HELD") return "HELD";
    return row.state === "SETTLED" || row.state === "RELEASED" ? "CONCLUDING" : "RUNNING";
  }
  switch (row.outcome.kind) {
    case "verdict":
      return row.outcome.verdict;
    case "incomplete":
      return "INCOMPLETE";
    case "refused":
      return "REFUSED";
  }
};
