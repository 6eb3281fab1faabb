import {
  type AppliancePolicy,
  type DeploymentBackend,
  type Platform,
  parseAppliancePolicy,
  parsePlan,
  parsePlatform,
  type ReleaseManifest,
  requireMountSources,
  requireReleasedPolicy,
  resolveImages,
  verifyRelease,
  type Wanted,
} from "@drydock/boundary";
import { readPublicKey } from "@drydock/broker";
import { readNamedFile } from "@drydock/evidence";
import { usage } from "../usage.js";
import type { ApplianceFlags } from "./appliance.js";
import { spellingsOf } from "./engine-socket.js";

/** A release and who is trusted for it. */
export interface ReleaseFlags {
  readonly release: string;
  readonly signature: string;
  readonly key: string;
}

/** What has to be there, and who says so. */
export interface WantedFlags extends Partial<ReleaseFlags> {
  readonly owner: string;
  readonly policy?: string;
  readonly platform?: string;
  readonly dev?: boolean;
  readonly helperImage?: string;
  readonly mounts?: string;
}

export interface WantedFiles extends Omit<Wanted, "images"> {
  readonly policy: AppliancePolicy | null;
  /** null with --dev. */
  readonly release: ReleaseManifest | null;
}

type PlacedFlags = WantedFlags & Pick<ApplianceFlags, "dockerSocket">;

/** What a node without an image runs: nothing, for as long as it's there. */
const IDLE = ["/bin/sleep", "2147483647"];

/**
 * Reads and checks every file, and changes nothing.
 *
 * @throws DrydockError USAGE, FILE_…, PLAN_…, POLICY_…, PLATFORM_…, RELEASE_…
 */
export const readWanted = (planFile: string, flags: PlacedFlags): WantedFiles => {
  const release = releaseFrom(flags);
  const { policy: policyFile, platform: platformFile } = flags;
  if ((policyFile === undefined) !== (platformFile === undefined))
    throw usage(
      "a platform is a policy and its parts",
      "Give --policy and --platform, or neither.",
    );
  const policy =
    policyFile === undefined
      ? null
      : parseAppliancePolicy(readNamedFile(policyFile), { file: policyFile });
  if (release !== null) {
    if (policy === null) throw usage("a release has a policy", "Give --policy and --platform.");
    requireReleasedPolicy(policy, release);
  }
  return wantedFrom(planFile, flags, { policy, release });
};

/** What the gate judges: whether the policy is the released one is its own question. */
export interface ReleasedFiles extends WantedFiles {
  readonly policy: AppliancePolicy;
  readonly release: ReleaseManifest;
  readonly platform: NonNullable<WantedFiles["platform"]>;
}

/** @throws DrydockError as `readWanted`, but for RELEASE_POLICY_DIFFERENT */
export const readReleased = (
  planFile: string,
  flags: PlacedFlags & ReleaseFlags & { readonly policy: string; readonly platform: string },
): ReleasedFiles => {
  const release = readRelease(flags);
  const policy = parseAppliancePolicy(readNamedFile(flags.policy), { file: flags.policy });
  const files = wantedFrom(planFile, flags, { policy, release });
  const { platform } = files;
  if (platform === null) throw usage("a gate is a platform's", "Give --policy and --platform.");
  return { ...files, policy, release, platform };
};

const wantedFrom = (
  planFile: string,
  flags: PlacedFlags,
  { policy, release }: Pick<WantedFiles, "policy" | "release">,
): WantedFiles => {
  const { platform: platformFile } = flags;
  const helperImage = release?.boundary.helperImage ?? flags.helperImage;
  if (helperImage === undefined)
    throw usage("no image for nodes without one", "Give --helper-image NAME@sha256:… with --dev.");
  const platform =
    policy === null || platformFile === undefined
      ? null
      : { policy, parts: parsePlatform(readNamedFile(platformFile), { file: platformFile }) };
  return {
    owner: flags.owner,
    plan: parsePlan(readNamedFile(planFile), { file: planFile }),
    policy,
    release,
    platform,
    helper: { image: helperImage, command: IDLE },
    mountRoot: mountRootFor(platform?.parts ?? null, flags),
  };
};

/** Where the sources of mounts are; null where no anchor has one. */
const mountRootFor = (
  parts: Platform | null,
  { mounts: directory, dockerSocket }: PlacedFlags,
): string | null => {
  const mounts = Object.values(parts?.anchors ?? {}).flatMap((anchor) => anchor.mounts);
  if (mounts.length === 0) return null;
  if (directory === undefined)
    throw usage(
      "the platform's anchors have mounts",
      "Give --mounts DIRECTORY with their sources.",
    );
  return requireMountSources(mounts, { directory, sockets: spellingsOf(dockerSocket) });
};

const releaseFrom = ({
  release,
  signature,
  key,
  dev,
  helperImage,
}: WantedFlags): ReleaseManifest | null => {
  if (dev === true) {
    if (release !== undefined || signature !== undefined || key !== undefined)
      throw usage("--dev is for what nobody released", "Leave out --dev, or the release.");
    return null;
  }
  if (release === undefined || signature === undefined || key === undefined)
    throw usage(
      "nobody vouches for the policy and the images",
      "Give --release, --signature and --key, or --dev for what is no evidence of an appliance.",
    );
  if (helperImage !== undefined)
    throw usage("a release names its helper image", "Leave out --helper-image.");
  return readRelease({ release, signature, key });
};

/** @throws DrydockError FILE_…, KEY_…, RELEASE_… */
export const readRelease = ({ release, signature, key }: ReleaseFlags): ReleaseManifest =>
  verifyRelease(
    readNamedFile(release),
    readNamedFile(signature),
    readPublicKey(readNamedFile(key)),
  );

/** @throws DrydockError APPLY_IMAGE_MISSING, ENGINE_… */
export const withImages = async (
  files: WantedFiles,
  engine: DeploymentBackend,
): Promise<Wanted> => ({
  ...files,
  images: await resolveImages(imagesNamed(files), engine),
});

export const imagesNamed = (files: WantedFiles): readonly string[] => [
  ...new Set([
    files.helper.image,
    ...(files.release === null ? [] : [files.release.boundary.proxyImage]),
    ...files.plan.nodes.flatMap(({ image }) => (image === null ? [] : [image])),
    ...Object.values(files.platform?.parts.anchors ?? {}).map(({ image }) => image),
  ]),
];
