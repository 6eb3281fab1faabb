import {
  type Aim,
  type DeploymentBackend,
  describeDifference,
  describeStrayPort,
  expectedOn,
  isAbout,
  isProven,
  type KernelBackend,
  type Proof,
  plannedTopology,
  type Ruleset,
  rulesetIn,
} from "@drydock/boundary";
import type { Event } from "@drydock/evidence";
import type { BoundaryInputs } from "@drydock/trial";
import type { WantedFiles } from "./wanted.js";

/** What an apply seals before it changes anything: what it was given, and what it is to make. */
export const appliedInputs = async (
  { wanted, desired, realisation }: Aim,
  { release, policy }: Pick<WantedFiles, "release" | "policy">,
  { engine, kernel }: { readonly engine: DeploymentBackend; readonly kernel: KernelBackend },
): Promise<BoundaryInputs> => {
  const [{ daemonId }, bootId] = await Promise.all([engine.identity(), kernel.bootId()]);
  const networks = desired.networks.length;
  return {
    phase: "apply",
    development: release === null,
    owner: wanted.owner,
    plan: wanted.plan.digest,
    policy: policy?.digest ?? null,
    release: release === null ? null : { digest: release.digest, payload: release.payloadDigest },
    images: [...wanted.images]
      .map(([reference, id]) => ({ reference, id }))
      .sort((one, other) => (one.reference < other.reference ? -1 : 1)),
    rulesets: plannedRulesets({ wanted, realisation }).map(({ authority, digest }) => ({
      authority,
      realisation,
      digest,
    })),
    topology: { kind: "planned", networks, bridges: networks, bootId, daemonId },
    freshnessSeconds: policy?.observationFreshnessSeconds ?? null,
  };
};

/** In the order of their authorities' names. */
export const plannedRulesets = ({
  wanted,
  realisation,
}: Pick<Aim, "wanted" | "realisation">): readonly Ruleset[] =>
  expectedOn({ wanted, realisation }, plannedTopology(wanted)).rulesets.toSorted((one, other) =>
    one.authority < other.authority ? -1 : 1,
  );

/** The same kernel, with a record of every ruleset that it took. */
export const recordingLoads = (
  kernel: KernelBackend,
  owner: string,
  record: (event: Event) => void,
): KernelBackend => ({
  ...kernel,
  load: async (ruleset, beside) => {
    const { authority, digest } = ruleset;
    const previous = rulesetIn(await kernel.listing(), owner, authority)?.digest ?? null;
    await kernel.load(ruleset, beside);
    record({
      type: "boundary.table.loaded",
      decision: previous === null ? "created" : "replaced",
      measurements: { authority, digest, ...(previous === null ? {} : { previous }) },
    });
  },
});

/** The first say what is wrong; a table that was replaced differs in every rule. */
const MAX_NAMES = 16;
const MAX_NAME = 256;

/** What the comparisons showed, and how the boundary was left. */
export const proofEvents = (proof: Proof): readonly Event[] => {
  const { expected, differences, strayPorts, report } = proof;
  return [
    ...expected.map((ruleset): Event => {
      const own = differences.filter((difference) =>
        isAbout(difference, ruleset.authority, expected),
      );
      return {
        type: "boundary.readback",
        decision: own.length === 0 ? "match" : "mismatch",
        measurements: {
          authority: ruleset.authority,
          digest: ruleset.digest,
          differences: own.length,
          names: own
            .slice(0, MAX_NAMES)
            .map((difference) => describeDifference(difference).slice(0, MAX_NAME)),
        },
      };
    }),
    ...(report === null
      ? []
      : [
          {
            type: "boundary.meaning",
            decision: report.ok ? "equal" : "differs",
            measurements: {
              cells: report.cells,
              differing: report.differing,
              conflicts: report.conflicts.length,
              gaps: report.gaps.length,
            },
          } as const,
        ]),
    ...strayPorts.slice(0, MAX_NAMES).map((stray): Event => {
      const about = describeStrayPort(stray);
      return {
        type: "boundary.finding",
        measurements: { code: "boundary.guest-stray-port", about },
      };
    }),
    {
      type: "boundary.end",
      decision: isProven(proof) ? "standing" : "unknown",
      measurements: { differences: differences.length, findings: strayPorts.length },
    },
  ];
};
