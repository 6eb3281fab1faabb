import { createHash } from "node:crypto";
import {
  type Digest,
  derivationKey,
  digestOfHex,
  parseName,
  type StoredObject,
} from "../../store/index.js";
import {
  type BuildContext,
  buildRuntime,
  deriveReported,
  output,
  runtimeComponents,
} from "../build/runtime.js";
import { addLabDirectories } from "../build/system.js";
import { writeErofs } from "../erofs/write.js";
import { type BuiltImage, nameImage } from "../images.js";
import type { ImageConfig, ImageSource } from "../manifest.js";
import { type ArchiveLimits, DEFAULT_LIMITS } from "../tar/limits.js";
import { type DirectoryNode, directory } from "../tree/node.js";
import { openSpool, type Spool } from "../tree/spool.js";
import { applyLayer } from "./apply.js";
import { type Bundle, openBundle } from "./archive.js";
import { decompress } from "./decompress.js";
import { readLayer } from "./layer.js";
import type { OciImageConfig } from "./schema.js";
import { type SelectedLayer, selectImage } from "./select.js";
import { checkDigest } from "./verify.js";

/** Raised whenever the same layers would become another root file system. */
const IMPORT_VERSION = 2;

export interface ImportRequest {
  /** An OCI image layout (directory or tar archive) or a `docker save` archive. */
  readonly path: string;
  readonly name: string;
  /** Which image, when the path holds several: a name in it or a manifest's digest. */
  readonly reference?: string;
  readonly limits?: ArchiveLimits;
}

export interface ImportedRoot {
  readonly root: StoredObject;
  readonly source: Extract<ImageSource, { kind: "imported" }>;
  readonly config: ImageConfig;
}

/** Imports an image as the command's root; kernel, initrd and agent are those of every image. */
export const importImage = async (
  context: BuildContext,
  request: ImportRequest,
): Promise<BuiltImage> => {
  parseName(request.name);
  const { root, source, config } = await importRoot(context, request);
  const runtime = await buildRuntime(context);
  return nameImage(context.store, {
    schema: "drydock.image/v1",
    name: request.name,
    os: "linux",
    architecture: "amd64",
    kernelRelease: runtime.release,
    components: runtimeComponents(runtime, root),
    runtime: runtime.inputs,
    source,
    config,
  });
};

/**
 * Reads a hostile image into a tree in memory and writes that as erofs. Everything is checked
 * before the first byte of the result is written; nothing is created under a name from the image.
 */
export const importRoot = async (
  context: Pick<BuildContext, "store" | "report">,
  request: ImportRequest,
): Promise<ImportedRoot> => {
  const { store, report } = context;
  const limits = request.limits ?? DEFAULT_LIMITS;
  using spool = openSpool(store);
  const bundle = await openBundle(request.path, spool, limits);
  const selected = selectImage(bundle, request.reference);
  const root = directory();
  const layers: { digest: Digest; diffId: Digest; size: number }[] = [];
  let droppedAttributes = 0;
  const budget = { bytes: limits.bytes, entries: limits.entries };
  for (const [index, layer] of selected.layers.entries()) {
    report({ step: "unpack", detail: `layer ${index + 1}/${selected.layers.length}` });
    const read = await readVerified(bundle, spool, layer, { ...limits, ...budget });
    budget.bytes -= read.contentBytes;
    budget.entries -= read.layer.entries.length;
    applyLayer(root, read.layer);
    droppedAttributes += read.layer.droppedAttributes;
    layers.push({ digest: read.digest, diffId: layer.diffId, size: read.size });
  }
  addLabDirectories(root);
  report({ step: "write", detail: `root file system of ${request.name}` });
  return {
    root: await writeRoot(context, root, layers),
    source: {
      kind: "imported",
      format: selected.format,
      manifest: selected.manifest,
      config: selected.configDigest,
      layers,
      droppedAttributes,
    },
    config: configOf(selected.config),
  };
};

const writeRoot = async (
  context: Pick<BuildContext, "store" | "report">,
  root: DirectoryNode,
  layers: readonly { readonly diffId: Digest }[],
): Promise<StoredObject> =>
  output(
    await deriveReported(
      context,
      "root",
      derivationKey(
        "import",
        IMPORT_VERSION,
        layers.map(({ diffId }) => diffId),
      ),
      async () => ({ root: writeErofs(context.store, root, "root") }),
    ),
    "root",
  );

const readVerified = async (
  bundle: Bundle,
  spool: Spool,
  selected: SelectedLayer,
  limits: ArchiveLimits,
) => {
  const packed = createHash("sha256");
  const unpacked = createHash("sha256");
  let size = 0;
  const { reader, finish } = readLayer(limits, spool);
  const source = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of bundle.stream(selected.member)) {
      packed.update(piece);
      size += piece.length;
      yield piece;
    }
  };
  for await (const piece of decompress(source(), selected.compression, limits)) {
    unpacked.update(piece);
    reader.push(piece);
  }
  const layer = finish();
  const digest = digestOfHex(packed.digest("hex"));
  const diffId = digestOfHex(unpacked.digest("hex"));
  checkDigest(`layer ${selected.diffId}`, { digest: selected.diffId }, { digest: diffId });
  if (selected.digest !== undefined) {
    const expected = { digest: selected.digest, size: selected.size };
    checkDigest(`layer ${selected.digest}`, expected, { digest, size });
  }
  const contentBytes = layer.entries.reduce(
    (sum, { what }) => sum + (what.kind === "file" ? what.content.size : 0),
    0,
  );
  return { layer, digest, size, contentBytes };
};

const configOf = ({ config }: OciImageConfig): ImageConfig => ({
  env: config?.Env ?? [],
  user: config?.User ?? "",
  workingDir: config?.WorkingDir ?? "",
  entrypoint: config?.Entrypoint ?? [],
  cmd: config?.Cmd ?? [],
});
