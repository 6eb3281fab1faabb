import { type Finding, finding } from "../finding.js";
import type { BoundaryManifest } from "../manifest/boundary.js";
import type { LabManifest } from "../manifest/lab.js";
import type { Manifest } from "../manifest/manifest.js";
import type { RunManifest, Tier } from "../manifest/run.js";

/** What a verdict takes from a manifest besides its gates. */
export interface Claims {
  readonly tier: Tier | null;
  readonly channels: readonly { readonly name: string; readonly kind: string }[];
  /** What makes of a PASS less than it could be. */
  readonly weaknesses: readonly Finding[];
}

export const claimsOf = (manifest: Manifest): Claims => {
  switch (manifest.schema) {
    case "drydock.manifest/v1":
      return {
        tier: manifest.tier,
        channels: manifest.topology.channels,
        weaknesses: weaknessesOfRun(manifest),
      };
    case "drydock.boundary-manifest/v1":
      return { tier: null, channels: [], weaknesses: weaknessesOfBoundary(manifest) };
    case "drydock.lab-manifest/v1":
      return { tier: null, channels: [], weaknesses: weaknessesOfLab(manifest) };
  }
};

const weaknessesOfRun = ({ source, egress }: RunManifest): readonly Finding[] => [
  ...(source.kind === "working-tree"
    ? [finding("WEAK_SOURCE", "manifest.json", "source", "a working tree without a commit")]
    : []),
  ...(egress === null
    ? []
    : [
        finding(
          "EXPLORATORY",
          "manifest.json",
          "egress",
          egress.signature === null
            ? "the guest could reach the real network, by a policy that nobody signed"
            : "the guest could reach the real network",
        ),
      ]),
];

const weaknessesOfBoundary = ({ development }: BoundaryManifest): readonly Finding[] =>
  development
    ? [
        finding(
          "DEVELOPMENT",
          "manifest.json",
          "development",
          "nobody released it: no evidence of an appliance",
        ),
      ]
    : [];

/** A stand-in shows something of what was rehearsed, and nothing of an appliance. */
const weaknessesOfLab = ({ extent }: LabManifest): readonly Finding[] => [
  finding(
    "STAND_IN",
    "manifest.json",
    "target",
    "claims about a real appliance are NOT_PROVISIONED; it authorises nothing",
  ),
  ...(extent === "all"
    ? []
    : [finding("PARTIAL", "manifest.json", "extent", "some scenarios of the catalogue alone")]),
];
