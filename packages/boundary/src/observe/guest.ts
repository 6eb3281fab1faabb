import { isDrydockError } from "@drydock/evidence";
import { zoneAnchor } from "../bind/index.js";
import { checkExhaustively } from "../check/index.js";
import type { AuthorityHolder, GuestObservation } from "../gate/index.js";
import { predictTruthTable, type TruthCell } from "../meaning/index.js";
import type { PlanAddress } from "../model/index.js";
import type { ProbeReport } from "../probe/index.js";
import {
  type ApplianceAim,
  type ApplyPorts,
  type Expected,
  type Proof,
  type Seen,
  see,
} from "../realise/index.js";
import { type Appraisal, appraise } from "./appraise.js";
import type { Check } from "./remembering-check.js";

export interface GuestSources extends Pick<ApplyPorts, "engine" | "kernel"> {
  /** null: nothing is tried, and the observation has no probes. */
  readonly probe:
    | ((
        cells: readonly TruthCell[],
        pids: ReadonlyMap<PlanAddress, number>,
      ) => Promise<ProbeReport>)
    | null;
  /** The way out, at an image's qualification; null: not tried. */
  readonly probeEgress:
    | ((
        boundary: Pick<Expected, "scenario" | "platform">,
        pids: ReadonlyMap<PlanAddress, number>,
      ) => Promise<ProbeReport>)
    | null;
  readonly holders: () => Promise<{
    readonly holders: readonly AuthorityHolder[];
    readonly missing: readonly string[];
  }>;
  /** null: it has no source. */
  readonly workbenchPolicyVersion: () => Promise<string | null>;
}

export interface ObserveOptions {
  /** Where the exhaustive check is made; here if it isn't said. */
  readonly check?: Check;
  /** What the last look came to, where it could be bound. */
  readonly onProof?: (proof: Proof, seen: Seen) => void;
}

/** Signed images, both `name@sha256:…`. */
export interface SignedImages {
  readonly helperImage: string;
  readonly proxyImage: string;
}

/**
 * Everything that an appliance shows from within. Whatever can't be observed makes it incomplete,
 * and never passes; what changes while it is looked at is a gap.
 */
export const observeGuest = async (
  aim: ApplianceAim,
  images: SignedImages,
  sources: GuestSources,
  options: ObserveOptions = {},
): Promise<GuestObservation> => {
  try {
    return await observed(aim, images, sources, options);
  } catch (error) {
    return unobserved(aim, isDrydockError(error) ? error.code : "OBSERVATION_FAILED");
  }
};

const observed = async (
  aim: ApplianceAim,
  { helperImage, proxyImage }: SignedImages,
  sources: GuestSources,
  { check = checkExhaustively, onProof }: ObserveOptions,
): Promise<GuestObservation> => {
  const look = async () => {
    const seen = await see(aim, sources);
    return { seen, ...(await appraise(aim, seen, check)) };
  };
  const signedImages = async () => {
    const [helper, proxy] = await Promise.all([
      sources.engine.imageId(helperImage),
      sources.engine.imageId(proxyImage),
    ]);
    return {
      proxy,
      missing: [...(helper === null ? [helperImage] : []), ...(proxy === null ? [proxyImage] : [])],
    };
  };
  const [{ holders, missing }, workbenchPolicyVersion, signed] = await Promise.all([
    sources.holders(),
    sources.workbenchPolicyVersion(),
    signedImages(),
  ]);
  // By itself: checking exhaustively takes all of this thread, and whoever was asked would be waiting.
  const first = await look();
  const probes = await probed(aim, first, sources);
  const last = probes === null ? first : await look();
  if (last.proof !== null) onProof?.(last.proof, last.seen);
  const { differentImages, gaps, ...observation } = last.observation;
  return {
    ...observation,
    workbenchPolicyVersion,
    probes: probes?.results ?? [],
    holders,
    missingHolders: missing,
    gaps: [
      ...gaps,
      ...(probes?.unproven ?? []),
      ...(isSame(first, last) ? [] : ["changed while it was observed"]),
    ],
    images: {
      missing: signed.missing,
      different: [
        ...differentImages,
        ...brokersNotFrom(signed.proxy, aim, last.seen).filter(
          (name) => !differentImages.includes(name),
        ),
      ],
    },
    complete: last.expected !== null,
  };
};

/** The broker is the one that was signed, whatever the platform's file asks for. */
const brokersNotFrom = (
  image: string | null,
  { desired: { anchors } }: ApplianceAim,
  { containers }: Seen,
): readonly string[] =>
  containers
    .filter(
      ({ name }) => anchors.find(({ address }) => address === zoneAnchor("egress"))?.name === name,
    )
    .filter((broker) => broker.image !== image)
    .map(({ name }) => name);

const probed = async (
  { desired, wanted }: ApplianceAim,
  { expected, seen }: Appraisal & { readonly seen: Seen },
  { probe, probeEgress }: GuestSources,
): Promise<ProbeReport | null> => {
  // What is bound to nothing has no truth table.
  if (expected === null || (probe === null && probeEgress === null)) return null;
  const pids = new Map(
    [...desired.anchors, ...desired.nodes].flatMap(({ address, name }) => {
      const pid = seen.containers.find((container) => container.name === name)?.pid ?? null;
      return pid === null ? [] : [[address, pid] as const];
    }),
  );
  const cells = predictTruthTable(expected, wanted.plan.nodes);
  const inside = probe === null ? NOTHING : await probe(cells, pids);
  const outside = probeEgress === null ? NOTHING : await probeEgress(expected, pids);
  return {
    results: [...inside.results, ...outside.results],
    unproven: [...inside.unproven, ...outside.unproven],
  };
};

const NOTHING: ProbeReport = { results: [], unproven: [] };

const isSame = (one: Appraisal, other: Appraisal): boolean => digestsOf(one) === digestsOf(other);

const digestsOf = ({ expected, observation }: Appraisal): string =>
  JSON.stringify([
    expected?.rulesets.map(({ digest }) => digest),
    observation.enforcements,
    observation.bootId,
    observation.daemonId,
  ]);

/** Of an appliance that wasn't looked at, and why. */
export const unobserved = ({ wanted }: ApplianceAim, code: string): GuestObservation => ({
  policyDigest: wanted.platform.policy.digest,
  planDigest: wanted.plan.digest,
  bootId: "",
  daemonId: "",
  workbenchPolicyVersion: null,
  enforcements: [],
  probes: [],
  holders: [],
  missingHolders: [],
  cells: 0,
  conflicts: 0,
  gaps: [],
  strayPorts: [],
  refused: code,
  images: { missing: [], different: [] },
  complete: false,
});
