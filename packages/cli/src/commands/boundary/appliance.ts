import {
  type ChangeableNamespace,
  type Claim,
  claimNamespace,
  createDockerBackend,
  createKernelBackend,
  type DeploymentBackend,
  type KernelBackend,
  type NetworkHandle,
  openNamespace,
  permitChanges,
  requireEngineInside,
  startTimeOf,
} from "@drydock/boundary";
import { usage } from "../usage.js";

/** Where the appliance is: its network namespace, and the engine that runs in it. */
export interface ApplianceFlags {
  readonly owner: string;
  readonly namespace?: string;
  readonly pid?: string;
  readonly dockerSocket: string;
}

export interface Appliance {
  readonly namespace: ChangeableNamespace;
  readonly engine: DeploymentBackend;
  readonly kernel: KernelBackend;
}

/** Names of networks, containers and tables are made of it. */
const OWNER = /^[a-z0-9][a-z0-9-]{0,31}$/;

export interface OpenOptions {
  readonly allowHostNetwork: boolean;
  /** null: it is only looked at. */
  readonly claim: Claim | null;
}

/**
 * A gate says of itself where its engine is, with everything else that it finds.
 *
 * @throws DrydockError USAGE, NAMESPACE_GONE, NAMESPACE_HOST, NAMESPACE_BUSY, ENGINE_UNREACHABLE,
 *   APPLY_ENGINE_ELSEWHERE, HOLDERS_UNOBSERVABLE
 */
export const openAppliance = async (
  flags: ApplianceFlags,
  { allowHostNetwork, claim }: OpenOptions,
): Promise<Appliance> => {
  if (!OWNER.test(flags.owner))
    throw usage("--owner is no name", "Use up to 32 of a-z, 0-9 and -, not - first.");
  const engine = await createDockerBackend(flags.dockerSocket);
  // Last: whoever called closes it.
  const opened = openNamespace(handleOf(flags));
  try {
    const namespace = permitChanges(opened, { allowHostNetwork });
    if (claim !== null) {
      await claimNamespace(namespace, claim);
      // One that isn't there at all is another matter, and told first.
      await engine.identity();
      await requireEngineInside(namespace, flags.dockerSocket);
    }
    return { namespace, engine, kernel: createKernelBackend(namespace) };
  } catch (error) {
    opened[Symbol.dispose]();
    throw error;
  }
};

/** @throws DrydockError USAGE */
export const handleOf = ({
  namespace,
  pid,
}: Pick<ApplianceFlags, "namespace" | "pid">): NetworkHandle => {
  if (namespace !== undefined && pid === undefined) return { kind: "netns", path: namespace };
  if (pid === undefined || namespace !== undefined)
    throw usage("the appliance has one network namespace", "Give --namespace or --pid.");
  const number = /^[1-9][0-9]{0,9}$/.test(pid) ? Number(pid) : 0;
  const startTime = startTimeOf(number);
  if (startTime === null) throw usage(`there is no process ${pid}`, "Give the engine's process.");
  return { kind: "pid", pid: number, startTime };
};
