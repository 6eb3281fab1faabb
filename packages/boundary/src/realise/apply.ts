import { DrydockError, quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import { type DeploymentBackend, observe } from "../engine/index.js";
import { type Aim, settingsFor } from "./aim.js";
import type { Desired, DesiredContainer } from "./desired.js";
import type { KernelBackend } from "./kernel-port.js";
import { nextStage } from "./next-stage.js";
import type { Seen } from "./seen.js";
import type { Action, Stage } from "./stage.js";

export interface ApplyPorts {
  readonly engine: DeploymentBackend;
  readonly kernel: KernelBackend;
  /** Told of each stage before it is done. */
  readonly onStage: (stage: Stage) => void;
}

/**
 * Each stage is done once or twice (the scenario's table before and after its nodes run); a crash
 * before may leave one of each to do over.
 */
const MAX_STAGES = 32;

/**
 * Brings engine and kernel to what is wanted, stage by stage, each decided from what was observed
 * after the one before. Nothing is retried: an action that fails ends the apply, and what is
 * there then is what the next one starts from.
 *
 * @returns what was there when nothing was left to do
 * @throws DrydockError APPLY_…, BIND_…, ENGINE_…, and the kernel's
 */
export const applyBoundary = async (aim: Aim, ports: ApplyPorts): Promise<Seen> => {
  let last: string | null = null;
  for (let done = 0; done < MAX_STAGES; done += 1) {
    const seen = await seeWithRoutes(aim, ports);
    const stage = nextStage(aim, seen);
    if (stage === null) return seen;
    const text = JSON.stringify(stage);
    if (text === last) {
      return refuse("APPLY_STUCK", `stage ${stage.name} was done and is still to do`, {
        fix: "Look for whoever undoes it: another boundary, or a firewall's own service.",
      });
    }
    last = text;
    ports.onStage(stage);
    for (const action of stage.actions) await perform(action, aim.desired, seen, ports);
  }
  return refuse("APPLY_STUCK", `after ${MAX_STAGES} stages there is still something to do`, {
    fix: "Look for whoever undoes it: another boundary, or a firewall's own service.",
  });
};

/** Everything that a boundary is judged by, read anew. */
export const see = async (
  aim: Omit<Aim, "wanted">,
  { engine, kernel }: Pick<ApplyPorts, "engine" | "kernel">,
): Promise<Seen> => {
  const [{ topology, networks, containers, links }, listing, settings] = await Promise.all([
    observe(engine, kernel),
    kernel.listing(),
    kernel.settings(settingsFor(aim).map(({ name }) => name)),
  ]);
  return {
    topology,
    networks,
    containers,
    listing,
    settings,
    routes: new Map(),
    links,
  };
};

/** And the default routes, which only an apply asks for. */
const seeWithRoutes = async (aim: Aim, ports: ApplyPorts): Promise<Seen> => {
  const seen = await see(aim, ports);
  const severalPlaces = new Set(
    [...aim.desired.anchors, ...aim.desired.nodes]
      .filter(({ attachments }) => attachments.length > 1)
      .map(({ name }) => name),
  );
  const routes = await Promise.all(
    seen.containers
      .filter(({ name }) => severalPlaces.has(name))
      .map(async ({ id, pid }) => {
        return [id, pid === null ? null : await ports.kernel.defaultRouteOf(pid)] as const;
      }),
  );
  return { ...seen, routes: new Map(routes) };
};

const perform = async (
  action: Action,
  desired: Desired,
  seen: Seen,
  { engine, kernel }: ApplyPorts,
): Promise<void> => {
  switch (action.kind) {
    case "remove-container":
      return engine.removeContainer(action.id);
    case "remove-network":
      return engine.removeNetwork(action.id);
    case "create-network":
      return void (await engine.createNetwork(action.spec));
    case "write-setting":
      return kernel.writeSetting(action.setting);
    case "load":
      return kernel.load(action.ruleset, action.beside);
    case "create-container":
      return void (await engine.createContainer(specOf(action.container, desired, seen)));
    case "start-container":
      return engine.start(action.id);
    case "set-default-route": {
      const pid = seen.containers.find(({ id }) => id === action.id)?.pid ?? null;
      if (pid === null) throw new DrydockError("ENGINE_REFUSED", "a container ended meanwhile");
      return kernel.setDefaultRoute(pid, action.gateway);
    }
  }
};

const specOf = (container: DesiredContainer, desired: Desired, { networks }: Seen) => ({
  ...container,
  environment: {},
  attachments: container.attachments.map(({ network, ipv4 }) => {
    const name = desired.networks.find(({ address }) => address === network)?.spec.name ?? network;
    const id = networks.find((one) => one.name === name)?.id;
    if (id === undefined) {
      throw new DrydockError("ENGINE_REFUSED", `network ${quote(name)} is gone meanwhile`);
    }
    return { network: id, ipv4 };
  }),
});
