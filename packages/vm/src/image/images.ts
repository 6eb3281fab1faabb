import {
  type Digest,
  isDigest,
  listNames,
  type Pruned,
  prune,
  putBytes,
  readName,
  removeName,
  type Store,
  setName,
  verifiedObjectPath,
} from "../store/index.js";
import { imageError, quote } from "./errors.js";
import {
  encodeManifest,
  type ImageConfig,
  type ImageManifest,
  manifestObjects,
  readManifest,
} from "./manifest.js";

export interface BuiltImage {
  readonly name: string;
  readonly digest: Digest;
  readonly manifest: ImageManifest;
}

/** An image whose every file was seen to have its digest, ready for a VMM. */
export interface ResolvedImage {
  readonly name: string;
  /** Digest of the manifest, which commits to all the others. */
  readonly digest: Digest;
  readonly kernelRelease: string;
  readonly kernelPath: string;
  readonly initrdPath: string;
  readonly agentPath: string;
  readonly rootPath: string;
  readonly digests: { readonly [part in keyof ImageManifest["components"]]: Digest };
  /** Digest of the agent's code, which lies in the file system `agentPath`. */
  readonly agentBundle: Digest;
  readonly config: ImageConfig;
}

export interface ListedImage {
  readonly name: string;
  readonly digest: Digest;
  readonly kind: ImageManifest["source"]["kind"];
  readonly kernelRelease: string;
  /** Bytes of kernel, initrd, agent and root, which images may share. */
  readonly size: number;
}

/** Stores a manifest and points its name at it. */
export const nameImage = (store: Store, manifest: ImageManifest): BuiltImage => {
  const { digest } = putBytes(store, encodeManifest(manifest));
  setName(store, manifest.name, digest);
  return { name: manifest.name, digest, manifest };
};

/** Finds an image by name or by the digest of its manifest, and checks its files. */
export const resolveImage = async (store: Store, reference: string): Promise<ResolvedImage> => {
  const { digest, manifest } = inspectImage(store, reference);
  const { kernel, initrd, agent, root } = manifest.components;
  const [kernelPath, initrdPath, agentPath, rootPath] = await Promise.all([
    verifiedObjectPath(store, kernel.digest),
    verifiedObjectPath(store, initrd.digest),
    verifiedObjectPath(store, agent.digest),
    verifiedObjectPath(store, root.digest),
  ]);
  return {
    name: manifest.name,
    digest,
    kernelRelease: manifest.kernelRelease,
    kernelPath,
    initrdPath,
    agentPath,
    rootPath,
    digests: {
      kernel: kernel.digest,
      initrd: initrd.digest,
      agent: agent.digest,
      root: root.digest,
    },
    agentBundle: manifest.runtime.agent.digest,
    config: manifest.config,
  };
};

export const inspectImage = (store: Store, reference: string): BuiltImage => {
  const digest = isDigest(reference) ? reference : readName(store, reference);
  if (digest === undefined) {
    throw imageError("IMAGE_UNKNOWN", `there is no image ${quote(reference)}`, {
      fix: "Run `drydock image list`, or `drydock image build base`.",
    });
  }
  const manifest = readManifest(store, digest);
  return { name: manifest.name, digest, manifest };
};

export const listImages = (store: Store): readonly ListedImage[] =>
  listNames(store).map((name) => {
    const { digest, manifest } = inspectImage(store, name);
    const size = Object.values(manifest.components).reduce((sum, part) => sum + part.size, 0);
    return {
      name,
      digest,
      kind: manifest.source.kind,
      kernelRelease: manifest.kernelRelease,
      size,
    };
  });

/** Forgets a name; its objects stay until the next prune. */
export const removeImage = (store: Store, name: string): void => {
  inspectImage(store, name);
  removeName(store, name);
};

/** Removes objects that no named image needs; `alsoKeep` are digests that runs hold. */
export const pruneImages = (store: Store, alsoKeep: readonly Digest[] = []): Pruned => {
  const keep = new Set<Digest>(alsoKeep);
  for (const name of listNames(store)) {
    const { digest, manifest } = inspectImage(store, name);
    keep.add(digest);
    for (const needed of manifestObjects(manifest)) keep.add(needed);
  }
  return prune(store, keep);
};
