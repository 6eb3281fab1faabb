import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { INCOMPLETE_FILE, readVerdict, type Verdict } from "@drydock/evidence";
import * as z from "zod/mini";
import { runLayout, type StateLayout } from "../home/index.js";
import { isClaimed } from "./owner.js";

interface Listed {
  readonly run: string;
  readonly created: string;
  readonly evidence: string;
  /** LOST: whoever was at it is gone, and nobody has said so yet. */
  readonly status: Verdict | "RUNNING" | "LOST";
}

/** An apply, or a time at the gate. */
export interface BoundaryTime extends Listed {
  readonly phase: string;
  readonly owner: string;
}

export interface RehearsalTime extends Listed {
  readonly command: string;
}

const boundaryShape = z.object({ created: z.string(), phase: z.string(), owner: z.string() });
const rehearsalShape = z.object({ created: z.string(), command: z.string() });

/**
 * Those whose evidence lies under the state directory, newest first. Nothing is verified: this is
 * for whoever wonders what there is.
 *
 * @throws DrydockError, ShapeError, JsonError for a verdict that isn't one
 */
export const listBoundaries = (layout: StateLayout): readonly BoundaryTime[] =>
  listed(layout, "boundary", boundaryShape);

/** As `listBoundaries`. */
export const listRehearsals = (layout: StateLayout): readonly RehearsalTime[] =>
  listed(layout, "acceptance", rehearsalShape);

const listed = <T extends { readonly created: string }>(
  layout: StateLayout,
  kind: string,
  shape: z.ZodMiniType<T>,
): readonly (T & Listed)[] =>
  !existsSync(layout.runs)
    ? []
    : readdirSync(layout.runs)
        .filter((name) => name.startsWith(`${kind}-`))
        .sort()
        .reverse()
        .flatMap((run): readonly (T & Listed)[] => {
          const { directory: evidence, manifest } = runLayout(join(layout.runs, run));
          // Made, and not sealed yet.
          if (!existsSync(manifest)) return [];
          const told = shape.parse(JSON.parse(readFileSync(manifest, "utf8")));
          return [{ run, ...told, evidence, status: statusOf(layout, run, evidence) }];
        });

const statusOf = (layout: StateLayout, run: string, evidence: string): Listed["status"] => {
  const verdict = readVerdict(evidence);
  if (verdict !== null) return verdict;
  if (existsSync(join(evidence, INCOMPLETE_FILE))) return "INCOMPLETE";
  return isClaimed(layout, run) ? "RUNNING" : "LOST";
};
