import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readVerdict, type Verdict } from "@drydock/evidence";
import * as z from "zod/mini";
import { runLayout, type StateLayout } from "../home/index.js";
import { isBoundaryLive } from "./owner.js";

/** An apply, or a time at the gate. */
export interface BoundaryTime {
  readonly run: string;
  readonly phase: string;
  readonly owner: string;
  readonly created: string;
  readonly evidence: string;
  /** LOST: whoever was at it is gone, and nobody has said so yet. */
  readonly status: Verdict | "RUNNING" | "LOST";
}

const manifestShape = z.object({ phase: z.string(), owner: z.string(), created: z.string() });

/**
 * Those whose evidence lies under the state directory, newest first. Nothing is verified: this is
 * for whoever wonders what there is.
 *
 * @throws DrydockError, ShapeError, JsonError for a verdict that isn't one
 */
export const listBoundaries = (layout: StateLayout): readonly BoundaryTime[] =>
  !existsSync(layout.runs)
    ? []
    : readdirSync(layout.runs)
        .filter((name) => name.startsWith("boundary-"))
        .sort()
        .reverse()
        .flatMap((run): readonly BoundaryTime[] => {
          const place = runLayout(join(layout.runs, run));
          // Made, and not sealed yet.
          if (!existsSync(place.manifest)) return [];
          const { phase, owner, created } = manifestShape.parse(
            JSON.parse(readFileSync(place.manifest, "utf8")),
          );
          const { directory: evidence } = place;
          return [
            { run, phase, owner, created, evidence, status: statusOf(layout, run, evidence) },
          ];
        });

const statusOf = (layout: StateLayout, run: string, evidence: string): BoundaryTime["status"] => {
  const verdict = readVerdict(evidence);
  if (verdict !== null) return verdict;
  if (existsSync(join(evidence, "incomplete.json"))) return "INCOMPLETE";
  return isBoundaryLive(layout, run) ? "RUNNING" : "LOST";
};
