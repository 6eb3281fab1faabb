import type { Boundary } from "../meaning/index.js";
import type { Authority, BoundAttachment, Ruleset } from "../model/index.js";
import { type Advisory, advisoriesOf } from "./advisories.js";
import { type Conflict, conflictsBetween } from "./conflicts.js";
import {
  type Claim,
  differencesOf,
  type PacketDifference,
  platformClaim,
  scenarioClaim,
} from "./differences.js";
import { type Gap, observationGaps } from "./gaps.js";

export interface CheckRequest extends Boundary {
  /** One for each authority that has something bound. */
  readonly rulesets: readonly Ruleset[];
  /** `floor`: nothing is bound yet, so everything has to be denied. */
  readonly phase?: "bound" | "floor";
}

export interface CheckReport {
  /** No difference, no conflict, no gap. Advisories don't count. */
  readonly ok: boolean;
  /** How many classes of packets were compared. */
  readonly cells: number;
  /** The first of each authority's. */
  readonly differences: readonly PacketDifference[];
  /** Classes of packets that differ, listed or not. */
  readonly differing: number;
  readonly conflicts: readonly Conflict[];
  readonly gaps: readonly Gap[];
  readonly advisories: readonly Advisory[];
}

/** A wrong rule is wrong for many packets, of which nobody reads more. */
const MAX_LISTED = 32;

const unbound = (attachments: readonly BoundAttachment[]): readonly BoundAttachment[] =>
  attachments.map((attachment) => ({ ...attachment, port: null }));

/**
 * Compares rulesets with what the authorities mean, over a partition of all packets: every one that
 * can come by any interface, with any header. It reads the model alone, so it doesn't share the
 * compiler's mistakes.
 *
 * @throws DrydockError RULESET_INVALID for rules that no kernel would load
 */
export const checkExhaustively = ({
  scenario,
  platform,
  rulesets,
  phase = "bound",
}: CheckRequest): CheckReport => {
  const isFloor = phase === "floor";
  const meant = <B extends { readonly attachments: readonly BoundAttachment[] }>(bound: B): B =>
    isFloor ? { ...bound, attachments: unbound(bound.attachments) } : bound;
  const claims: readonly Claim[] = [
    ...(scenario === null ? [] : [scenarioClaim(scenario, meant(scenario))]),
    ...(platform === null ? [] : [platformClaim(platform, meant(platform))]),
  ];
  const claimed = new Map(claims.map((claim) => [claim.authority, claim]));

  const compared = rulesets.flatMap((ruleset) => {
    const claim = claimed.get(ruleset.authority);
    if (claim === undefined) return [];
    const foreign = claims
      .filter((other) => other !== claim)
      .flatMap(({ networks }) => networks.map(({ bridge }) => bridge))
      .filter((bridge) => !claim.networks.some((own) => own.bridge === bridge));
    return [differencesOf(claim, ruleset, foreign, MAX_LISTED)];
  });
  const { conflicts, cells } = isFloor
    ? { conflicts: [], cells: 0 }
    : conflictsBetween({ scenario, platform }, MAX_LISTED);
  const gaps = [
    ...unmatched(claims, rulesets),
    ...(isFloor ? [] : observationGaps({ scenario, platform })),
  ];
  const differing = compared.reduce((sum, { found }) => sum + found, 0);
  return {
    ok: differing === 0 && conflicts.length === 0 && gaps.length === 0,
    cells: compared.reduce((sum, each) => sum + each.cells, cells),
    differences: compared.flatMap(({ differences }) => differences),
    differing,
    conflicts,
    gaps,
    advisories: scenario === null || isFloor ? [] : advisoriesOf(scenario),
  };
};

/** Each authority has exactly one ruleset, or there's nothing to compare. */
const unmatched = (claims: readonly Claim[], rulesets: readonly Ruleset[]): readonly Gap[] => {
  const count = (authority: Authority) =>
    rulesets.filter((ruleset) => ruleset.authority === authority).length;
  const isClaimed = (authority: Authority) => claims.some((claim) => claim.authority === authority);
  return (["scenario", "platform"] as const)
    .filter((authority) => count(authority) !== (isClaimed(authority) ? 1 : 0))
    .map((authority) => ({
      code: "BOUNDARY_OBSERVATION_GAP",
      about: authority,
      message: isClaimed(authority)
        ? `there are ${count(authority)} rulesets of it, and there has to be one`
        : "there is a ruleset of it, and nothing that it's about",
    }));
};
