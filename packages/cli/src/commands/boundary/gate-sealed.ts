import {
  type ApplianceAim,
  aimAt,
  type DeploymentBackend,
  expectedOn,
  type GateBinding,
  type GatePhase,
  type KernelBackend,
  see,
} from "@drydock/boundary";
import { isDrydockError } from "@drydock/evidence";
import type { BoundaryInputs } from "@drydock/trial";
import { plannedRulesets } from "./receipts.js";
import { imagesNamed, type ReleasedFiles } from "./wanted.js";

export interface GateInputs {
  readonly aim: ApplianceAim;
  readonly inputs: BoundaryInputs;
}

/**
 * What a time at the gate seals before anything is tried: the files, and the rules that have to hold
 * for what is there now. Where that can't be seen or bound, it seals the rules for what was planned,
 * which nobody's kernel can hold: such a time doesn't pass, and still leaves evidence.
 *
 * @throws DrydockError REALISATION_MISSING, BIND_… for files that don't fit one another
 */
export const gateInputs = async (
  files: ReleasedFiles,
  phase: GatePhase,
  { binding, development }: { readonly binding: GateBinding; readonly development: boolean },
  { engine, kernel }: { readonly engine: DeploymentBackend; readonly kernel: KernelBackend },
): Promise<GateInputs> => {
  const held = await imagesHeld(files, engine);
  // What isn't held has its name's digest, from which nothing that runs was made.
  const ids = imagesNamed(files).map(
    (reference) => [reference, held.get(reference) ?? digestIn(reference)] as const,
  );
  const wanted: ApplianceAim["wanted"] = { ...files, images: new Map(ids) };
  const aim = await aimAt(wanted, kernel);
  const now = await rulesetsNow(aim, { engine, kernel });
  const rulesets = now?.rulesets ?? plannedRulesets(aim);
  const networks = aim.desired.networks.length;
  return {
    aim,
    inputs: {
      phase,
      development,
      owner: wanted.owner,
      plan: wanted.plan.digest,
      policy: files.policy.digest,
      release: { digest: files.release.digest, payload: files.release.payloadDigest },
      images: [...held]
        .map(([reference, id]) => ({ reference, id }))
        .sort((one, other) => (one.reference < other.reference ? -1 : 1)),
      rulesets: [...rulesets]
        .sort((one, other) => (one.authority < other.authority ? -1 : 1))
        .map(({ authority, digest }) => ({ authority, realisation: aim.realisation, digest })),
      topology: {
        kind: now === null ? "planned" : "observed",
        networks,
        bridges: networks,
        bootId: await kernel.bootId(),
        daemonId: now?.daemonId ?? binding.guestDaemonId,
      },
      freshnessSeconds: files.policy.observationFreshnessSeconds,
    },
  };
};

const digestIn = (reference: string): string => reference.slice(reference.indexOf("@") + 1);

/** By reference; without those that the engine doesn't hold, or doesn't answer about. */
const imagesHeld = async (
  files: ReleasedFiles,
  engine: DeploymentBackend,
): Promise<ReadonlyMap<string, string>> => {
  const held = new Map<string, string>();
  for (const reference of imagesNamed(files)) {
    const id = await unlessRefused(() => engine.imageId(reference));
    if (id !== null) held.set(reference, id);
  }
  return held;
};

/** null: what is there can't be seen, or isn't bound. */
const rulesetsNow = (
  aim: ApplianceAim,
  ports: { readonly engine: DeploymentBackend; readonly kernel: KernelBackend },
) =>
  unlessRefused(async () => {
    const { topology } = await see(aim, ports);
    return { rulesets: expectedOn(aim, topology).rulesets, daemonId: topology.daemonId };
  });

/** A refusal is an answer here, and the observation says which one it was. */
const unlessRefused = async <T>(ask: () => Promise<T>): Promise<T | null> => {
  try {
    return await ask();
  } catch (error) {
    if (!isDrydockError(error) || error.code === "INTERRUPTED") throw error;
    return null;
  }
};
