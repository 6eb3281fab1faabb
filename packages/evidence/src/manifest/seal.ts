import { digestOf, digestOfValue } from "../digest/digest.js";
import { canonicalBytes } from "../json/canonical.js";
import type { Digest } from "../schema/common.js";
import { type Manifest, parseManifest } from "./manifest.js";

export interface SealedManifest<M extends Manifest = Manifest> {
  readonly manifest: M;
  /** Contents of `manifest.json`. */
  readonly bytes: Buffer;
  readonly digest: Digest;
  readonly experiment: Digest;
}

/**
 * What makes two runs attempts of one experiment: everything that was sealed except which run it
 * was and when. Whoever repeats a run until it passes repeats this digest.
 */
export const experimentDigest = (manifest: Manifest): Digest => {
  const { run: _run, created: _created, ...experiment } = manifest;
  return digestOfValue(experiment);
};

/**
 * Writes the manifest down. The bytes are read back through the strict parser, so what is sealed is
 * what `verify` will accept.
 *
 * @throws JsonError, ShapeError
 */
export const sealManifest = <M extends Manifest>(manifest: M): SealedManifest<M> => {
  const bytes = canonicalBytes(manifest);
  parseManifest(bytes);
  return { manifest, bytes, digest: digestOf(bytes), experiment: experimentDigest(manifest) };
};
