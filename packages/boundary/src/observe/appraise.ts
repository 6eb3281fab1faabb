import { isDrydockError } from "@drydock/evidence";
import type { CheckReport } from "../check/index.js";
import type { Enforcement, GuestObservation } from "../gate/index.js";
import type { Authority } from "../model/index.js";
import { describeDifference, isAbout } from "../readback/index.js";
import {
  type ApplianceAim,
  describeStrayPort,
  type Expected,
  expectedOn,
  heldRulesets,
  kernelDifferences,
  type Proof,
  type Seen,
  strayPorts,
} from "../realise/index.js";
import { differentContainers } from "./containers.js";
import type { Check } from "./remembering-check.js";

/** What one look at engine and kernel shows, before anything is tried and anybody else is asked. */
export interface Appraisal {
  /** null: refused. */
  readonly expected: Expected | null;
  readonly proof: Proof | null;
  readonly observation: Pick<
    GuestObservation,
    | "policyDigest"
    | "planDigest"
    | "bootId"
    | "daemonId"
    | "enforcements"
    | "cells"
    | "conflicts"
    | "gaps"
    | "strayPorts"
    | "refused"
  > & { readonly differentImages: readonly string[] };
}

/**
 * Judges what was seen: bound to plan and policy, compared with the rules that follow, and the rules
 * that the kernel really holds compared with what is meant, packet by packet.
 */
export const appraise = async (aim: ApplianceAim, seen: Seen, check: Check): Promise<Appraisal> => {
  const { wanted } = aim;
  const { differentImages, strangers } = differentContainers(aim, seen);
  const about = {
    policyDigest: wanted.platform.policy.digest,
    planDigest: wanted.plan.digest,
    bootId: seen.topology.bootId,
    daemonId: seen.topology.daemonId,
    differentImages,
    strayPorts: strayPorts(aim, seen).map(describeStrayPort),
  };
  try {
    const expected = expectedOn(aim, seen.topology);
    const { enforcements, proof, report } = await enforcementsOf(aim, seen, expected, check);
    const gaps = [...report.gaps.map((gap) => `${gap.about}: ${gap.message}`), ...strangers];
    const observation = {
      ...about,
      enforcements,
      cells: report.cells,
      conflicts: report.conflicts.length,
      gaps,
      refused: null,
    };
    return { expected, proof, observation };
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    const refused = {
      enforcements: [],
      cells: 0,
      conflicts: 0,
      gaps: strangers,
      refused: error.code,
    };
    return { expected: null, proof: null, observation: { ...about, ...refused } };
  }
};

const enforcementsOf = async (
  aim: ApplianceAim,
  seen: Seen,
  { rulesets, ...boundary }: Expected,
  check: Check,
) => {
  const differences = kernelDifferences(aim, rulesets, seen);
  const held = heldRulesets(aim.wanted.owner, rulesets, seen.listing);
  // As the kernel holds them: what was compiled is no evidence of what is enforced.
  const report = await check({ ...boundary, rulesets: held });
  const enforcements = held.map(({ authority, inet, bridge, digest }): Enforcement => {
    const wrong = report.differences.filter((difference) => difference.authority === authority);
    return {
      authority,
      sourceDigest:
        authority === "scenario" ? boundary.scenario.planDigest : boundary.platform.policyDigest,
      rulesetDigest: digest,
      families: [inet.family, bridge.family],
      defaultDeny: deniesByDefault(report, authority),
      differences: differences
        .filter((difference) => isAbout(difference, authority, rulesets))
        .map(describeDifference),
      meaningDifferences: wrong.length,
    };
  });
  const isWhole = held.length === rulesets.length;
  const proof = {
    ...boundary,
    ...{ expected: rulesets, differences, strayPorts: strayPorts(aim, seen) },
    report: isWhole ? report : null,
  };
  return { enforcements, proof, report };
};

/** The list of differences is cut: behind its end could be any. */
const deniesByDefault = ({ differences, differing }: CheckReport, authority: Authority): boolean =>
  differing === differences.length &&
  !differences.some(
    (difference) => difference.authority === authority && difference.expected.action === "deny",
  );
