import { derivationKey, parseName } from "../../store/index.js";
import { openApt } from "../deb/apt.js";
import type { DebRef } from "../deb/control.js";
import { type BuiltImage, nameImage } from "../images.js";
import type { ImageConfig } from "../manifest.js";
import { type HostNode, type HostNpm, locateNpm } from "./host-node.js";
import type { ImagePlan } from "./plan.js";
import { buildRoot } from "./root.js";
import {
  BUILDER_VERSION,
  type BuildContext,
  buildRuntime,
  deriveReported,
  output,
  runtimeComponents,
} from "./runtime.js";

const CONFIG: ImageConfig = {
  env: ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/home/lab", "LANG=C.UTF-8"],
  user: "lab",
  workingDir: "/work",
  entrypoint: [],
  cmd: [],
};

/**
 * Builds the image of a plan, or finds it built, and gives it its name. Only parts whose inputs
 * changed are made again; nothing is downloaded when the store has it.
 */
export const buildImage = async (context: BuildContext, plan: ImagePlan): Promise<BuiltImage> => {
  const { store, tools, parts, report } = context;
  parseName(plan.name);
  report({ step: "plan", detail: `packages of ${plan.name}` });
  const apt = openApt(store, tools);
  const packages = await apt.closure(plan.packages);
  const runtime = await buildRuntime(context, packages, plan.moduleSets);
  const npm = locateNpm(parts.node.executable);
  const inputs = { recipe: plan.recipe, packages, node: runtime.node, npm };
  const root = output(
    await deriveReported(context, `${plan.name} root`, rootKey(inputs), async () => {
      await apt.fetch(packages, report);
      return { root: await buildRoot(store, tools, inputs, report) };
    }),
    "root",
  );
  return nameImage(store, {
    schema: "drydock.image/v1",
    name: plan.name,
    os: "linux",
    architecture: "amd64",
    kernelRelease: runtime.release,
    components: runtimeComponents(runtime, root),
    runtime: runtime.inputs,
    source: {
      kind: "built",
      recipe: plan.recipe,
      packages: [...packages],
      node: runtime.node,
      npm: { version: npm.version, digest: npm.digest },
    },
    config: CONFIG,
  });
};

const rootKey = (inputs: {
  readonly recipe: string;
  readonly packages: readonly DebRef[];
  readonly node: HostNode;
  readonly npm: HostNpm;
}): string =>
  derivationKey("root", BUILDER_VERSION, {
    recipe: inputs.recipe,
    packages: inputs.packages.map(({ digest }) => digest),
    node: inputs.node.digest,
    npm: inputs.npm.digest,
  });
