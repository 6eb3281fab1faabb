import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import type { DeploymentBackend } from "../engine/index.js";
import type { BoundaryOwner } from "../model/index.js";
import { ownerDigest, parseAbout } from "../ruleset/index.js";
import type { KernelBackend } from "./kernel-port.js";
import { isOwned } from "./labels.js";

export interface Cleared {
  readonly containers: number;
  readonly networks: number;
  readonly tables: number;
}

/**
 * Removes exactly what bears the owner's label or table comment: containers first, while the tables
 * still hold them, then networks, then tables; then looks whether it is gone.
 *
 * @throws DrydockError CLEAR_INCOMPLETE, ENGINE_…, and the kernel's
 */
export const clearBoundary = async (
  owner: BoundaryOwner,
  { engine, kernel }: { readonly engine: DeploymentBackend; readonly kernel: KernelBackend },
): Promise<Cleared> => {
  const before = await owned(owner, engine, kernel);
  for (const { id } of before.containers) await engine.removeContainer(id);
  for (const { id } of before.networks) await engine.removeNetwork(id);
  await kernel.deleteTables(owner);
  const after = await owned(owner, engine, kernel);
  const left = [...after.containers, ...after.networks, ...after.tables].map(({ name }) => name);
  if (left.length > 0) {
    return refuse("CLEAR_INCOMPLETE", `still there: ${left.map(quote).join(", ")}`, {
      fix: "Run it again; if something stays, look who holds it.",
    });
  }
  return {
    containers: before.containers.length,
    networks: before.networks.length,
    tables: before.tables.length,
  };
};

const owned = async (owner: BoundaryOwner, engine: DeploymentBackend, kernel: KernelBackend) => {
  const [containers, networks, { tables }] = await Promise.all([
    engine.containers(),
    engine.networks(),
    kernel.listing(),
  ]);
  return {
    containers: containers.filter((container) => isOwned(owner, container)),
    networks: networks.filter((network) => isOwned(owner, network)),
    tables: tables.filter(
      ({ comment }) => comment !== null && parseAbout(comment)?.owner === ownerDigest(owner),
    ),
  };
};
