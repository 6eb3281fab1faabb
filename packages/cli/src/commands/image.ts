import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { stateDirectories } from "@drydock/trial";
import {
  type BuildContext,
  buildImage,
  importImage,
  inspectImage,
  listImages,
  openStore,
  planImage,
  pruneBundles,
  pruneGolden,
  pruneImages,
  type Recipe,
  RUNTIME_DIRECTORY,
  type Store,
  stopKeepers,
  systemTools,
} from "@drydock/vm";
import { locateProgram } from "../program.js";
import { createProgress } from "../terminal/progress.js";
import { visible } from "../terminal/sanitise.js";
import { chooseStyle } from "../terminal/style.js";
import { type JsonFlag, print } from "./context.js";

export const openImageStore = (): Store =>
  openStore(join(stateDirectories(process.env, homedir()).cache, "images"));

const contextOf = (store: Store): { context: BuildContext; clear: () => void } => {
  const program = locateProgram();
  const progress = createProgress(
    process.stderr,
    chooseStyle(process.stderr.isTTY === true, process.env),
  );
  return {
    context: {
      store,
      tools: systemTools(),
      parts: {
        agentBundle: program.agentBundle,
        nativeSource: program.nativeSource,
        node: { executable: process.execPath, version: process.version },
      },
      report: ({ step, detail }) =>
        progress.step(detail === undefined ? step : `${step}: ${visible(detail)}`),
    },
    clear: progress.clear,
  };
};

export const imageBuild = async (
  recipe: Recipe,
  flags: JsonFlag & {
    readonly name?: string;
    readonly package?: readonly string[];
    readonly modules?: readonly string[];
  },
): Promise<number> => {
  const store = openImageStore();
  const { context, clear } = contextOf(store);
  const built = await buildImage(
    context,
    planImage(recipe, {
      ...(flags.name === undefined ? {} : { name: flags.name }),
      packages: flags.package ?? [],
      moduleSets: flags.modules ?? [],
    }),
  );
  clear();
  print(flags, built, `${built.name}  ${built.digest}\n`);
  return 0;
};

export const imageImport = async (
  path: string,
  flags: JsonFlag & { readonly name: string; readonly reference?: string },
): Promise<number> => {
  const store = openImageStore();
  const { context, clear } = contextOf(store);
  const imported = await importImage(context, {
    path,
    name: flags.name,
    ...(flags.reference === undefined ? {} : { reference: flags.reference }),
  });
  clear();
  print(flags, imported, `${imported.name}  ${imported.digest}\n`);
  return 0;
};

export const imageList = (flags: JsonFlag): number => {
  const images = listImages(openImageStore());
  const rows = images.map(
    ({ name, digest, kind, kernelRelease, size }) =>
      `${name.padEnd(20)} ${kind.padEnd(10)} ${mebibytes(size).padStart(6)} MiB  ${kernelRelease}  ${digest}\n`,
  );
  print(
    flags,
    { images },
    rows.length === 0 ? "no images; build one: drydock image build\n" : rows.join(""),
  );
  return 0;
};

export const imageInspect = (name: string, flags: JsonFlag): number => {
  const image = inspectImage(openImageStore(), name);
  print(flags, image, `${JSON.stringify(image, null, 2)}\n`);
  return 0;
};

/** `drydock image prune`: whatever no image needs, snapshots included: those are made again. */
export const imagePrune = async (flags: JsonFlag): Promise<number> => {
  const store = openImageStore();
  const vmm = join(store.directory, "vmm");
  const golden = join(vmm, "golden");
  const { stopped, unreadable } = existsSync(golden)
    ? stopKeepers(join(RUNTIME_DIRECTORY, "golden"), golden)
    : { stopped: 0, unreadable: [] };
  const objects = pruneImages(store);
  const pruned = {
    objects,
    snapshots: await pruneGolden(golden),
    bundles: await pruneBundles(vmm),
    keepers: stopped,
    unreadable,
  };
  print(
    flags,
    pruned,
    `removed ${objects.objects} objects (${mebibytes(objects.bytes)} MiB), ${objects.temporary} temporary files, ${pruned.snapshots} snapshots, ${pruned.bundles} old VMM bundles; stopped ${stopped} keepers\n${unreadable
      .map((path) => `removed ${path}, which is no keeper's record\n`)
      .join("")}`,
  );
  return 0;
};

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
