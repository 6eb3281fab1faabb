import { createHash } from "node:crypto";
import { createReadStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ARTIFACT_KINDS,
  type ArtifactKind,
  parseAppliancePolicy,
  parseReleaseManifest,
  type ReleaseArtifact,
  releaseManifestBytes,
  signRelease,
} from "@drydock/boundary";
import { quote, readNamedFile, signingKeyFromPem } from "@drydock/evidence";
import { loadControllerKey } from "@drydock/trial";
import { visible } from "../../terminal/sanitise.js";
import { type JsonFlag, print, stateLayout } from "../context.js";
import { usage } from "../usage.js";

export interface BoundaryReleaseFlags extends JsonFlag {
  readonly id: string;
  readonly profile: string;
  readonly artifact: readonly string[];
  readonly helperImage: string;
  readonly proxyImage: string;
  readonly signingKey?: string;
}

const MANIFEST = "manifest.json";
const SIGNATURE = "manifest.sig.json";
/** What is released isn't edited. */
const RELEASED = 0o444;

/** `drydock boundary release`: makes and signs the manifest of what lies in a directory. */
export const boundaryRelease = async (
  directory: string,
  flags: BoundaryReleaseFlags,
): Promise<number> => {
  const named = flags.artifact.map(artifactNamed);
  const artifacts: ReleaseArtifact[] = [];
  for (const { kind, path } of named) artifacts.push(await measured(directory, kind, path));
  const policy = named.find(({ kind }) => kind === "boundary-policy");
  if (policy !== undefined) {
    // Nothing is vouched for that would be refused.
    const file = join(directory, policy.path);
    parseAppliancePolicy(readNamedFile(file), { file });
  }
  const manifest = releaseManifestBytes({
    releaseId: flags.id,
    artifacts,
    profile: profileNamed(flags.profile),
    helperImage: flags.helperImage,
    proxyImage: flags.proxyImage,
  });
  const key =
    flags.signingKey === undefined
      ? loadControllerKey(stateLayout())
      : signingKeyFromPem(readNamedFile(flags.signingKey).toString("latin1"));
  const signature = signRelease(manifest, key);
  const files = { manifest: join(directory, MANIFEST), signature: join(directory, SIGNATURE) };
  // A release is made once: another one has another directory.
  writeFileSync(files.manifest, manifest, { mode: RELEASED, flag: "wx" });
  writeFileSync(files.signature, signature, { mode: RELEASED, flag: "wx" });
  const { digest, payloadDigest, boundary } = parseReleaseManifest(manifest);
  const { keyId } = key.public;
  print(
    flags,
    { ...files, digest, payloadDigest, policyDigest: boundary.policyDigest, keyId },
    [
      `release ${visible(flags.id)} signed`,
      `manifest     ${visible(files.manifest)} ${digest}`,
      `payload      ${payloadDigest}`,
      `policy       ${boundary.policyDigest}`,
      `signature    ${visible(files.signature)}`,
      `key          ${keyId}`,
      "",
    ].join("\n"),
  );
  return 0;
};

const artifactNamed = (text: string): { readonly kind: ArtifactKind; readonly path: string } => {
  const [name = "", ...rest] = text.split("=");
  const kind = ARTIFACT_KINDS.find((known) => known === name);
  if (kind === undefined || rest.length === 0)
    throw usage(
      `${quote(text)} is no artifact`,
      `Give --artifact KIND=PATH for each of ${ARTIFACT_KINDS.join(", ")}.`,
    );
  return { kind, path: rest.join("=") };
};

const profileNamed = (text: string): { readonly id: string; readonly version: number } => {
  const [, id, version] = /^(.+)@([1-9][0-9]{0,8})$/.exec(text) ?? [];
  if (id === undefined || version === undefined)
    throw usage(`${quote(text)} is no profile`, "Give --profile ID@VERSION.");
  return { id, version: Number(version) };
};

/** A disk is longer than memory. */
const measured = async (
  directory: string,
  kind: ArtifactKind,
  path: string,
): Promise<ReleaseArtifact> => {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(join(directory, path))) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { id: kind, kind, path, digest: `sha256:${hash.digest("hex")}`, bytes };
};
