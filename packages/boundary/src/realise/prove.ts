import { type CheckReport, checkExhaustively } from "../check/index.js";
import type { Boundary } from "../meaning/index.js";
import type { Ruleset } from "../model/index.js";
import type { Difference } from "../readback/index.js";
import type { Aim } from "./aim.js";
import { expectedOn } from "./expected.js";
import { heldRulesets, kernelDifferences } from "./kernel-differences.js";
import type { Seen } from "./seen.js";
import { type StrayPort, strayPorts } from "./stray-ports.js";

export interface Proof extends Boundary {
  /** What the kernel has to hold. */
  readonly expected: readonly Ruleset[];
  /** Where it differs from that, settings included. */
  readonly differences: readonly Difference[];
  /** Who is on the boundary's bridges and is no container. */
  readonly strayPorts: readonly StrayPort[];
  /** Of what it does hold, against what plan and policy mean; null when it holds no whole ruleset. */
  readonly report: CheckReport | null;
}

/**
 * Whether what is there is what is meant, in two ways that share nothing: the kernel's rules against
 * the compiled ones, and the kernel's rules against the authored meaning, packet by packet.
 *
 * @throws DrydockError BIND_…
 */
export const proveBoundary = (aim: Aim, seen: Seen): Proof => {
  const { rulesets: expected, ...boundary } = expectedOn(aim, seen.topology);
  const held = heldRulesets(aim.wanted.owner, expected, seen.listing);
  return {
    ...boundary,
    expected,
    differences: kernelDifferences(aim, expected, seen),
    strayPorts: strayPorts(aim, seen),
    report:
      held.length === expected.length ? checkExhaustively({ ...boundary, rulesets: held }) : null,
  };
};

/** Nothing differs in either way, and nobody is there of whom neither speaks. */
export const isProven = ({ differences, strayPorts: strays, report }: Proof): boolean =>
  differences.length === 0 && strays.length === 0 && report?.ok === true;
