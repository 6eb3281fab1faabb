import { type Digest, digestOf } from "@drydock/evidence";
import { digestOfHex } from "../../store/index.js";
import { imageError, quote } from "../errors.js";
import type { ImageSource } from "../manifest.js";
import type { Bundle } from "./archive.js";
import { type Compression, layerCompression } from "./layer-type.js";
import { checkPlatform, isSupported } from "./platform.js";
import {
  type Descriptor,
  type OciImageConfig,
  parseDockerManifest,
  parseImageConfig,
  parseOciIndex,
  parseOciLayout,
  parseOciManifest,
} from "./schema.js";
import { checkDigest } from "./verify.js";

const MAX_JSON_BYTES = 4 * 1024 * 1024;
/** An index may point at an index (multi-platform images); more levels serve nobody. */
const MAX_INDEX_DEPTH = 3;
const REFERENCE_NAME = "org.opencontainers.image.ref.name";
const INDEX_TYPES = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];

export interface SelectedLayer {
  /** Member of the bundle. */
  readonly member: string;
  readonly compression: Compression;
  /** As the manifest says; undefined in a Docker archive, whose layers have only a diff id. */
  readonly digest: Digest | undefined;
  readonly size: number | undefined;
  readonly diffId: Digest;
}

export interface Selected {
  readonly format: Extract<ImageSource, { kind: "imported" }>["format"];
  readonly manifest: Digest;
  readonly configDigest: Digest;
  readonly config: OciImageConfig;
  readonly layers: readonly SelectedLayer[];
}

/** Finds the one Linux x86-64 image in a bundle, by `reference` (name or digest) if there are more. */
export const selectImage = (bundle: Bundle, reference: string | undefined): Selected => {
  if (bundle.has("oci-layout")) return selectOci(bundle, reference);
  if (bundle.has("manifest.json")) return selectDocker(bundle, reference);
  throw imageError("IMAGE_FORMAT", "neither oci-layout nor manifest.json found", {
    fix: "Give an OCI image layout (`skopeo copy … oci:DIR`) or a `docker save` archive.",
  });
};

const selectOci = (bundle: Bundle, reference: string | undefined): Selected => {
  parseOciLayout(bundle.read("oci-layout", MAX_JSON_BYTES));
  const index = parseOciIndex(bundle.read("index.json", MAX_JSON_BYTES));
  const chosen = chooseManifest(bundle, index.manifests, reference, 1);
  const manifest = parseOciManifest(readBlob(bundle, chosen));
  const config = parseConfig(readBlob(bundle, manifest.config));
  checkLayerCount(manifest.layers.length, config);
  return {
    format: "oci-layout",
    manifest: chosen.digest,
    configDigest: manifest.config.digest,
    config,
    layers: manifest.layers.map((layer, index) => ({
      member: blobPath(layer.digest),
      compression: layerCompression(layer),
      digest: layer.digest,
      size: layer.size,
      diffId: config.rootfs.diff_ids[index] ?? "",
    })),
  };
};

const selectDocker = (bundle: Bundle, reference: string | undefined): Selected => {
  const bytes = bundle.read("manifest.json", MAX_JSON_BYTES);
  const images = parseDockerManifest(bytes).filter(
    ({ RepoTags }) => reference === undefined || RepoTags.includes(reference),
  );
  const image = onlyOne(images, reference, (candidate) => candidate.RepoTags.join(" "));
  const configBytes = bundle.read(image.Config, MAX_JSON_BYTES);
  const configDigest = digestOf(configBytes);
  // Docker names the file by its digest in both of its layouts.
  const named = digestOfHex(/([0-9a-f]{64})(?:\.json)?$/.exec(image.Config)?.[1] ?? "");
  checkDigest(quote(image.Config), { digest: named }, { digest: configDigest });
  const config = parseConfig(configBytes);
  checkLayerCount(image.Layers.length, config);
  return {
    format: "docker-archive",
    manifest: digestOf(bytes),
    configDigest,
    config,
    layers: image.Layers.map((member, index) => ({
      member,
      compression: "detect",
      digest: undefined,
      size: undefined,
      diffId: config.rootfs.diff_ids[index] ?? "",
    })),
  };
};

const chooseManifest = (
  bundle: Bundle,
  manifests: readonly Descriptor[],
  reference: string | undefined,
  depth: number,
): Descriptor => {
  const named = manifests.filter(
    ({ digest, annotations }) =>
      reference === undefined ||
      digest === reference ||
      annotations?.[REFERENCE_NAME] === reference,
  );
  const fitting = named.filter(({ platform }) => platform === undefined || isSupported(platform));
  if (fitting.length === 0) checkPlatform(named.flatMap(({ platform }) => platform ?? []));
  const chosen = onlyOne(
    [...new Map(fitting.map((candidate) => [candidate.digest, candidate])).values()],
    reference,
    ({ digest, annotations }) => annotations?.[REFERENCE_NAME] ?? digest,
  );
  if (!INDEX_TYPES.includes(chosen.mediaType)) return chosen;
  if (depth >= MAX_INDEX_DEPTH) {
    throw imageError("IMAGE_BOUND", `more than ${MAX_INDEX_DEPTH} indexes point at each other`);
  }
  const inner = parseOciIndex(readBlob(bundle, chosen)).manifests;
  return chooseManifest(bundle, inner, undefined, depth + 1);
};

const onlyOne = <T>(
  candidates: readonly T[],
  reference: string | undefined,
  describe: (candidate: T) => string,
): T => {
  const [first, ...others] = candidates;
  if (first !== undefined && others.length === 0) return first;
  const what = reference === undefined ? "" : ` named ${quote(reference)}`;
  throw imageError("IMAGE_INPUT", `${candidates.length} images${what} found`, {
    fix: `Choose one with --reference: ${quote(candidates.map(describe).join(", "))}`,
  });
};

const parseConfig = (bytes: Buffer): OciImageConfig => {
  const config = parseImageConfig(bytes);
  checkPlatform([config]);
  return config;
};

const checkLayerCount = (layers: number, config: OciImageConfig): void => {
  const diffIds = config.rootfs.diff_ids.length;
  if (layers !== diffIds) {
    throw imageError("IMAGE_FORMAT", `the image has ${layers} layers and ${diffIds} diff ids`);
  }
};

const blobPath = (digest: Digest): string => `blobs/sha256/${digest.slice("sha256:".length)}`;

const readBlob = (bundle: Bundle, { digest, size }: Descriptor): Buffer => {
  const bytes = bundle.read(blobPath(digest), MAX_JSON_BYTES);
  checkDigest(`blob ${digest}`, { digest, size }, { digest: digestOf(bytes), size: bytes.length });
  return bytes;
};
