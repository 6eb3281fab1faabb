import { canonicalise, parseJson, shape } from "@drydock/evidence";
import { type Digest, parseName, readSmallObject, type Store, storeError } from "../store/index.js";

const digest = shape.digest as shape.Reader<Digest>;
const text = shape.text(4096);
const size = shape.integer(1);
const component = shape.object({ digest, size });

const packageRef = shape.object({
  name: text,
  version: text,
  architecture: shape.oneOf(["amd64", "all"]),
  digest,
  size,
});

const hostFile = shape.object({ version: text, digest });

const runtime = shape.object({
  builder: shape.integer(1),
  kernel: packageRef,
  modules: shape.array(text, 64),
  libraries: shape.array(packageRef, 64),
  node: hostFile,
  agent: shape.object({ digest }),
  native: shape.object({ digest }),
});

const builtSource = shape.object({
  kind: shape.literal("built"),
  recipe: shape.oneOf(["base", "debian"]),
  packages: shape.array(packageRef, 2000),
  node: hostFile,
  npm: hostFile,
});

const importedSource = shape.object({
  kind: shape.literal("imported"),
  format: shape.oneOf(["oci-layout", "docker-archive"]),
  /** Digest of the OCI manifest; of Docker's manifest.json for a `docker save` archive. */
  manifest: digest,
  config: digest,
  layers: shape.array(shape.object({ digest, diffId: digest, size: shape.integer(0) }), 512),
  /** Extended attributes (file capabilities among them) that the root file system does not keep. */
  droppedAttributes: shape.integer(0),
});

const argument = shape.text(128 * 1024);

/** What the image's author asks for; a run's own command and options come before it. */
const config = shape.object({
  env: shape.array(argument, 1024),
  user: text,
  workingDir: text,
  entrypoint: shape.array(argument, 1024),
  cmd: shape.array(argument, 1024),
});

/** Read by hand-written readers: each run starts with it, and loading a library takes its time. */
const imageManifest = shape.object({
  schema: shape.literal("drydock.image/v1"),
  name: text,
  os: shape.literal("linux"),
  architecture: shape.literal("amd64"),
  kernelRelease: text,
  components: shape.object({
    kernel: component,
    initrd: component,
    agent: component,
    root: component,
  }),
  runtime,
  source: shape.variants({ built: builtSource, imported: importedSource }),
  config,
});

export type ImageManifest = shape.Shape<typeof imageManifest>;
export type ImageConfig = shape.Shape<typeof config>;
export type ImageSource = ImageManifest["source"];
export type RuntimeInputs = shape.Shape<typeof runtime>;

/** A manifest lists at most some thousand packages of some hundred bytes. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/** Equal manifests are equal bytes, so that an image's digest says what it consists of. */
export const encodeManifest = (manifest: ImageManifest): string => `${canonicalise(manifest)}\n`;

export const readManifest = (store: Store, digestOfManifest: Digest): ImageManifest => {
  const bytes = readSmallObject(store, digestOfManifest, MAX_MANIFEST_BYTES);
  try {
    const manifest = imageManifest.read(parseJson(bytes), "image");
    parseName(manifest.name);
    return manifest;
  } catch (cause) {
    throw storeError("STORE_CORRUPT", `${digestOfManifest} is not an image manifest`, {
      fix: "Build or import the image again.",
      cause,
    });
  }
};

/** Every object that a kept image needs, its inputs included, so that it can be rebuilt offline. */
export const manifestObjects = (manifest: ImageManifest): readonly Digest[] => [
  ...Object.values(manifest.components).map((part) => part.digest),
  manifest.runtime.kernel.digest,
  manifest.runtime.node.digest,
  manifest.runtime.agent.digest,
  manifest.runtime.native.digest,
  ...manifest.runtime.libraries.map((ref) => ref.digest),
  ...(manifest.source.kind === "built" ? manifest.source.packages.map((ref) => ref.digest) : []),
];
