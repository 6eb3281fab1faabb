import { isDrydockError } from "@drydock/evidence";
import type { GateFinding, GateFindingCode } from "../gate/index.js";
import { differentContainers } from "../observe/index.js";
import { compareRulesets, type Difference, describeDifference } from "../readback/index.js";
import {
  type ApplianceAim,
  describeStrayPort,
  type Expected,
  expectedOn,
  kernelDifferences,
  mayBeStarting,
  type Seen,
  strayPorts,
} from "../realise/index.js";
import type { Listing } from "../ruleset/index.js";
import { isSameBoundary } from "./same-boundary.js";

/** What one look says, compared with what held at the last one. */
export type Look =
  | { readonly kind: "same" }
  /** Something of the boundary's own was started again: it has to be bound again. */
  | { readonly kind: "moved"; readonly to: Expected }
  /** As while a container starts or ends. The rules are as they were, so nothing of it passes. */
  | { readonly kind: "unclear"; readonly finding: GateFinding }
  | { readonly kind: "drift"; readonly findings: readonly GateFinding[] };

/** Refusals that a container passes through when it starts again. All others are somebody's doing. */
const TRANSIENT: ReadonlySet<string> = new Set([
  "BIND_PORT_UNOBSERVABLE",
  "BIND_ATTACHMENT_DIFFERENT",
  "BIND_ATTACHMENT_UNOBSERVED",
  "BIND_ANCHOR_WITHOUT_ADDRESS",
  "BIND_NODE_UNREALISED",
  "BIND_ANCHOR_UNOBSERVED",
  // The engine lists an anchor's ports while it runs.
  "BIND_PUBLICATION_UNOBSERVED",
]);

export const isTransient = (code: string | null): boolean => code !== null && TRANSIENT.has(code);

/** What can be told from the rules alone, and is told first: a rule that was changed lets pass by now. */
export const lookAtRules = (held: Expected, listing: Listing): Look | null =>
  drifted(compareRulesets(held.rulesets, listing));

/**
 * Whether the kernel still holds what was loaded, and whether that is still what has to hold. There
 * is no exhaustive check in it: rules that are equal to checked ones are checked.
 *
 * @param before what the look before this one saw
 */
export const lookAt = (
  aim: ApplianceAim,
  held: Expected,
  seen: Seen,
  before: Pick<Seen, "links"> | null,
): Look => {
  const changed = drifted(kernelDifferences(aim, held.rulesets, seen));
  if (changed !== null) return changed;
  const { differentImages, strangers } = differentContainers(aim, seen);
  if (differentImages.length > 0) return drift("boundary.image-different", differentImages);
  if (strangers.length > 0) return drift("boundary.guest-observation-gap", strangers);
  const strays = strayPorts(aim, seen);
  const said = strays.map(describeStrayPort);
  // The engine may not have spoken yet of the container that somebody just attached.
  const isTold = strays.every(({ port }) => before?.links.some(({ name }) => name === port));
  if (isTold && !mayBeStarting(aim, seen, strays)) return drift("boundary.guest-stray-port", said);
  try {
    const now = expectedOn(aim, seen.topology);
    if (!isSameBoundary(held, now)) {
      return drift("boundary.guest-binding-refused", ["another network, address or identity"]);
    }
    if (digestsOf(now) !== digestsOf(held)) return { kind: "moved", to: now };
    const [about] = said;
    return about === undefined
      ? { kind: "same" }
      : { kind: "unclear", finding: { code: "boundary.guest-stray-port", about } };
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    const finding = { code: "boundary.guest-binding-refused", about: error.code } as const;
    return isTransient(error.code)
      ? { kind: "unclear", finding }
      : { kind: "drift", findings: [finding] };
  }
};

const drifted = (differences: readonly Difference[]): Look | null => {
  return differences.length === 0
    ? null
    : drift("boundary.guest-readback-difference", differences.map(describeDifference));
};

const digestsOf = ({ rulesets }: Expected): string =>
  rulesets.map(({ digest }) => digest).join(" ");

const drift = (code: GateFindingCode, abouts: readonly string[]): Look => ({
  kind: "drift",
  findings: abouts.map((about) => ({ code, about })),
});
