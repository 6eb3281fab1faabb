import type { BoundPlatform, BoundScenario } from "../model/index.js";
import { crossingIdentity } from "./crossings.js";
import { EGRESS_AUTHORITIES } from "./egress.js";
import { authoredIdentity } from "./owners.js";

/** For a rule's identity, the lines of the author's file that it was written for. */
export type AuthoredLines = ReadonlyMap<string, readonly number[]>;

export const scenarioLines = ({ rules }: BoundScenario): AuthoredLines =>
  new Map(
    rules.flatMap((authored) =>
      (["in", "out"] as const).map((side) => [authoredIdentity(authored, side), [authored.line]]),
    ),
  );

export const platformLines = ({ crossings, egress }: BoundPlatform): AuthoredLines =>
  new Map<string, readonly number[]>([
    ...crossings.map((crossing) => [crossingIdentity(crossing), [crossing.line]] as const),
    [EGRESS_AUTHORITIES, (egress?.authorities ?? []).map(({ line }) => line)],
  ]);
