import { readFileSync } from "node:fs";
import { buildNative } from "../../native/ensure.js";
import {
  type Digest,
  derivationKey,
  derive,
  objectPath,
  putBytes,
  type Store,
  type StoredObject,
} from "../../store/index.js";
import { readAgentBundle } from "../agent-bundle.js";
import { openApt } from "../deb/apt.js";
import type { DebRef } from "../deb/control.js";
import { imageError } from "../errors.js";
import type { ImageManifest, RuntimeInputs } from "../manifest.js";
import type { Report } from "../progress.js";
import type { Tools } from "../tools.js";
import { buildAgent } from "./agent.js";
import { captureNode, type HostNode } from "./host-node.js";
import { buildKernel, kernelRelease } from "./kernel.js";
import { guestModules, type ModuleSet } from "./modules.js";

/** Raised whenever the same inputs would be built into something else. */
export const BUILDER_VERSION = 4;

/** What Node's official builds link against. */
const LIBRARY_PACKAGES = ["libc6", "libgcc-s1", "libstdc++6"];

/** Files of this installation that go into every image. */
export interface Parts {
  /** The guest agent as one CommonJS file. */
  readonly agentBundle: string;
  /** drydock-native.c. */
  readonly nativeSource: string;
  /** The running Node. */
  readonly node: { readonly executable: string; readonly version: string };
}

export interface BuildContext {
  readonly store: Store;
  readonly tools: Tools;
  readonly parts: Parts;
  readonly report: Report;
}

/** What every image has in common, built or imported: kernel, initrd and agent. */
export interface Runtime {
  readonly release: string;
  readonly kernel: StoredObject;
  readonly initrd: StoredObject;
  readonly agent: StoredObject;
  readonly node: HostNode;
  readonly libraries: readonly DebRef[];
  readonly inputs: RuntimeInputs;
}

/** @param packages a resolved closure that holds the libraries, when the caller has one. */
export const buildRuntime = async (
  context: BuildContext,
  packages?: readonly DebRef[],
  moduleSets: readonly ModuleSet[] = [],
): Promise<Runtime> => {
  const { store, tools, parts, report } = context;
  const modules = guestModules(moduleSets);
  report({ step: "compile", detail: "drydock-native" });
  const native = await buildNative(store, tools, parts.nativeSource);
  report({ step: "plan", detail: "kernel and libraries" });
  const apt = openApt(store, tools);
  const kernelDeb = await apt.kernel();
  const available = packages ?? (await apt.closure(LIBRARY_PACKAGES));
  const libraries = available.filter(({ name }) => LIBRARY_PACKAGES.includes(name));
  const node = await captureNode(store, parts.node.executable, parts.node.version);
  const bundle = captureBundle(store, parts.agentBundle);

  const boot = await deriveReported(
    context,
    "kernel",
    kernelKey(kernelDeb, native, modules),
    async () => {
      await apt.fetch([kernelDeb], report);
      report({ step: "unpack", detail: kernelDeb.name });
      const init = readFileSync(objectPath(store, native.digest));
      return buildKernel(store, tools, kernelDeb, init, modules);
    },
  );
  const agentInputs = { libraries, node, bundle: bundle.digest, native: native.digest };
  const agent = await deriveReported(context, "agent", agentKey(agentInputs), async () => {
    await apt.fetch(libraries, report);
    report({ step: "write", detail: "agent file system" });
    return { agent: await buildAgent(store, tools, agentInputs) };
  });
  return {
    release: kernelRelease(kernelDeb),
    kernel: output(boot, "kernel"),
    initrd: output(boot, "initrd"),
    agent: output(agent, "agent"),
    node,
    libraries,
    inputs: {
      builder: BUILDER_VERSION,
      kernel: kernelDeb,
      modules: [...modules],
      libraries: [...libraries],
      node,
      agent: { digest: bundle.digest },
      native: { digest: native.digest },
    },
  };
};

export const runtimeComponents = (
  { kernel, initrd, agent }: Runtime,
  root: StoredObject,
): ImageManifest["components"] => ({ kernel, initrd, agent, root });

/** As `derive`, telling the user whether anything had to be done. */
export const deriveReported = async (
  { store, report }: Pick<BuildContext, "store" | "report">,
  what: string,
  key: string,
  build: () => Promise<Readonly<Record<string, StoredObject>>>,
): Promise<Readonly<Record<string, StoredObject>>> => {
  const { outputs, reused } = await derive(store, key, build, {
    onWait: (holder) =>
      report({ step: "wait", detail: `${what} is being built by process ${holder}` }),
  });
  if (reused) report({ step: "reuse", detail: what });
  return outputs;
};

export const output = (
  outputs: Readonly<Record<string, StoredObject>>,
  name: string,
): StoredObject => {
  const found = outputs[name];
  if (found === undefined)
    throw imageError("IMAGE_INPUT", `the store has no ${name} for this build`);
  return found;
};

const kernelKey = (deb: DebRef, native: StoredObject, modules: readonly string[]): string =>
  derivationKey("kernel", BUILDER_VERSION, { deb: deb.digest, native: native.digest, modules });

const agentKey = (inputs: {
  readonly libraries: readonly DebRef[];
  readonly node: HostNode;
  readonly bundle: Digest;
  readonly native: Digest;
}): string =>
  derivationKey("agent", BUILDER_VERSION, {
    libraries: inputs.libraries.map(({ digest }) => digest),
    node: inputs.node.digest,
    bundle: inputs.bundle,
    native: inputs.native,
  });

const captureBundle = (store: Store, path: string): StoredObject =>
  putBytes(store, readAgentBundle(path));
