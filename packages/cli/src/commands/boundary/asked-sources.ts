import {
  type AppliancePolicy,
  type ChangeableNamespace,
  containersMounting,
  type DeploymentBackend,
  type Desired,
  engineProcess,
  engineSockets,
  type GuestSources,
  holderInventory,
  observeHostAccess,
  workbenchVersionOf,
  zoneAnchor,
} from "@drydock/boundary";
import { spellingsOf } from "./engine-socket.js";

interface Place {
  readonly namespace: ChangeableNamespace;
  readonly engine: DeploymentBackend;
  readonly dockerSocket: string;
}

/** What a gate and a watch ask besides engine and kernel: who holds the engine, and whose workbench it is. */
export const askedSources = (
  policy: AppliancePolicy,
  { anchors }: Pick<Desired, "anchors">,
  { namespace, engine, dockerSocket }: Place,
): Pick<GuestSources, "holders" | "workbenchPolicyVersion"> => {
  const management = anchors.find(({ address }) => address === zoneAnchor("management"));
  return {
    holders: async () => {
      const [containers, host, { daemonId }, listening] = await Promise.all([
        engine.containers(),
        engineProcess(namespace, dockerSocket).then((pid) => observeHostAccess(namespace, pid)),
        engine.identity(),
        engineSockets(namespace),
      ]);
      const sockets = [...spellingsOf(dockerSocket), ...listening];
      return holderInventory(containers, host, {
        allowed: policy.allowedHolders,
        daemonId,
        sockets,
        mounting: containersMounting(containers, sockets),
      });
    },
    workbenchPolicyVersion: async () =>
      workbenchVersionOf(await engine.containers(), management?.name ?? ""),
  };
};
