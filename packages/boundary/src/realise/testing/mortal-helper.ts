import { isDrydockError } from "@drydock/evidence";
import { createDockerBackend } from "../../engine/index.js";
import { createKernelBackend } from "../../kernel/index.js";
import { claimNamespace, openNamespace, permitChanges } from "../../nft/index.js";
import { TOOL_DIRECTORIES } from "../../nft/namespace.js";
import { aimAt, applyBoundary, clearBoundary } from "../index.js";
import { type LabWanted, wantedOf } from "./lab-wanted.js";
import { type Death, mortality } from "./mortal.js";

/** What a test asks of a helper that it lets die. */
export interface MortalTask extends LabWanted {
  readonly verb: "apply" | "clear";
  readonly namespace: string;
  readonly socket: string;
  readonly death: Death;
  /** Looked through before the system's. */
  readonly tools: readonly string[];
}

/** Says what came of it, unless it died: `done CALLS`, or `refused CODE`. */
const perform = async ({ verb, death, ...task }: MortalTask): Promise<string> => {
  const directories = [...task.tools, ...TOOL_DIRECTORIES];
  using opened = openNamespace({ kind: "netns", path: task.namespace }, directories);
  const namespace = permitChanges(opened, { allowHostNetwork: false });
  await claimNamespace(namespace, "change");
  const { mortal, calls } = mortality(death, () => process.kill(process.pid, "SIGKILL"));
  const engine = mortal(await createDockerBackend(task.socket));
  const kernel = mortal(createKernelBackend(namespace));
  if (verb === "clear") await clearBoundary(task.owner, { engine, kernel });
  else {
    const aim = await aimAt(wantedOf(task), kernel);
    await applyBoundary(aim, { engine, kernel, onStage: () => undefined });
  }
  return `done ${calls()}`;
};

const said = await perform(JSON.parse(process.argv[2] ?? "")).catch((error: unknown) => {
  if (isDrydockError(error)) return `refused ${error.code}`;
  throw error;
});
process.stdout.write(said);
