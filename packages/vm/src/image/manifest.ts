import { canonicalise, parseJson } from "@drydock/evidence";
import * as z from "zod";
import {
  type Digest,
  isDigest,
  parseName,
  readSmallObject,
  type Store,
  storeError,
} from "../store/index.js";

const digest = z.custom<Digest>((value) => typeof value === "string" && isDigest(value), {
  error: "not a sha256 digest",
});
const text = z.string().max(4096);
const component = z.strictObject({ digest, size: z.int().min(1) });

const packageRef = z.strictObject({
  name: text,
  version: text,
  architecture: z.enum(["amd64", "all"]),
  digest,
  size: z.int().min(1),
});

const hostFile = z.strictObject({ version: text, digest });

const runtime = z.strictObject({
  builder: z.int().min(1),
  kernel: packageRef,
  modules: z.array(text).max(64),
  libraries: z.array(packageRef).max(64),
  node: hostFile,
  agent: z.strictObject({ digest }),
  native: z.strictObject({ digest }),
});

const builtSource = z.strictObject({
  kind: z.literal("built"),
  recipe: z.enum(["base", "debian"]),
  packages: z.array(packageRef).max(2000),
  node: hostFile,
  npm: hostFile,
});

const importedSource = z.strictObject({
  kind: z.literal("imported"),
  format: z.enum(["oci-layout", "docker-archive"]),
  /** Digest of the OCI manifest; of Docker's manifest.json for a `docker save` archive. */
  manifest: digest,
  config: digest,
  layers: z.array(z.strictObject({ digest, diffId: digest, size: z.int().min(0) })).max(512),
  /** Extended attributes (file capabilities among them) that the root file system does not keep. */
  droppedAttributes: z.int().min(0),
});

/** What the image's author asks for; a run's own command and options come before it. */
const config = z.strictObject({
  env: z.array(z.string().max(128 * 1024)).max(1024),
  user: text,
  workingDir: text,
  entrypoint: z.array(z.string().max(128 * 1024)).max(1024),
  cmd: z.array(z.string().max(128 * 1024)).max(1024),
});

export const imageManifest = z.strictObject({
  schema: z.literal("drydock.image/v1"),
  name: text,
  os: z.literal("linux"),
  architecture: z.literal("amd64"),
  kernelRelease: text,
  components: z.strictObject({
    kernel: component,
    initrd: component,
    agent: component,
    root: component,
  }),
  runtime,
  source: z.discriminatedUnion("kind", [builtSource, importedSource]),
  config,
});

export type ImageManifest = z.infer<typeof imageManifest>;
export type ImageConfig = z.infer<typeof config>;
export type ImageSource = ImageManifest["source"];
export type RuntimeInputs = z.infer<typeof runtime>;

/** A manifest lists at most some thousand packages of some hundred bytes. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/** Equal manifests are equal bytes, so that an image's digest says what it consists of. */
export const encodeManifest = (manifest: ImageManifest): string => `${canonicalise(manifest)}\n`;

export const readManifest = (store: Store, digestOfManifest: Digest): ImageManifest => {
  const bytes = readSmallObject(store, digestOfManifest, MAX_MANIFEST_BYTES);
  try {
    const manifest = imageManifest.parse(parseJson(bytes));
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
