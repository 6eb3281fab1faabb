import { PLAN_ADDRESS_LABEL } from "../bind/index.js";
import type { EngineEvent, EngineNetwork } from "../engine/index.js";
import type { GateFinding } from "../gate/index.js";
import { type ApplianceAim, isOwned } from "../realise/index.js";
import type { Known } from "./known.js";

type Refusal =
  | "BIND_FOREIGN_CONTAINER"
  | "BIND_ANCHOR_ON_SCENARIO"
  | "BIND_ATTACHMENT_UNPLANNED"
  | "BIND_NETWORK_UNOBSERVED"
  | "BIND_NETWORK_AMBIGUOUS"
  | "BIND_ANCHOR_UNOBSERVED"
  | "BIND_NODE_UNREALISED"
  | "BIND_ANCHOR_AMBIGUOUS"
  | "BIND_NODE_AMBIGUOUS";

/**
 * What an event of the engine's says is wrong by itself: to ask the engine and every container would
 * take longer than a drop may. null: it takes a look.
 */
export const judgeEngineEvent = (
  aim: Pick<ApplianceAim, "desired" | "wanted">,
  known: Known,
  event: EngineEvent,
): GateFinding | null => {
  switch (event.kind) {
    case "network":
      return ofNetwork(aim, known, event);
    case "container":
      return ofContainer(aim, known, event);
    case "daemon":
      return null;
  }
};

/**
 * Networks that play one of the boundary's: the one question that an event of a new network needs,
 * which says no labels.
 */
export const judgeNetworks = (
  { desired, wanted }: Pick<ApplianceAim, "desired" | "wanted">,
  known: Known,
  networks: readonly EngineNetwork[],
): readonly GateFinding[] => {
  const zones = Object.values(wanted.platform.policy.networks);
  return networks
    .filter(({ id }) => !known.networks.has(id))
    .filter(
      (network) =>
        isOwned(desired.owner, network) ||
        zones.some(({ key, value }) => network.labels[key] === value) ||
        desired.networks.some(
          ({ address, spec }) =>
            network.name === spec.name || network.labels[PLAN_ADDRESS_LABEL] === address,
        ),
    )
    .map(() => refused("BIND_NETWORK_AMBIGUOUS"));
};

/** Programs that are run in a container, and what is said of its health, change no boundary. */
export const isIdle = ({ kind, action }: Pick<EngineEvent, "kind" | "action">): boolean =>
  kind === "container" && /^(exec_|health_status|attach|resize|top)/.test(action);

const ofNetwork = (
  aim: Pick<ApplianceAim, "desired">,
  known: Known,
  { action, id, attributes }: EngineEvent,
): GateFinding | null => {
  const network = known.networks.get(id);
  if (network !== undefined && action === "destroy") return refused("BIND_NETWORK_UNOBSERVED");
  if (action !== "connect") return null;
  const container = known.containers.get(attributes["container"] ?? "");
  if (container === undefined)
    return network === undefined ? null : refused("BIND_FOREIGN_CONTAINER");
  if (container.attachments.some((place) => place.network === network)) return null;
  return refused(
    aim.desired.anchors.includes(container)
      ? "BIND_ANCHOR_ON_SCENARIO"
      : "BIND_ATTACHMENT_UNPLANNED",
  );
};

const ofContainer = (
  { desired, wanted }: Pick<ApplianceAim, "desired" | "wanted">,
  known: Known,
  { action, id, attributes }: EngineEvent,
): GateFinding | null => {
  const container = known.containers.get(id);
  const isAnchor = container !== undefined && desired.anchors.includes(container);
  if (container !== undefined) {
    if (action === "destroy")
      return refused(isAnchor ? "BIND_ANCHOR_UNOBSERVED" : "BIND_NODE_UNREALISED");
    return action === "rename" ? stranger(container.name) : null;
  }
  if (!["create", "start", "rename"].includes(action)) return null;
  const { anchors } = wanted.platform.policy;
  if (Object.values(anchors).some(({ key, value }) => attributes[key] === value))
    return refused("BIND_ANCHOR_AMBIGUOUS");
  const planned = [...desired.anchors, ...desired.nodes];
  if (planned.some(({ address }) => attributes[PLAN_ADDRESS_LABEL] === address))
    return refused("BIND_NODE_AMBIGUOUS");
  const name = attributes["name"] ?? "";
  const isTaken = planned.some((one) => one.name === name);
  return isTaken || isOwned(desired.owner, { labels: attributes }) ? stranger(name) : null;
};

const refused = (about: Refusal): GateFinding => ({
  code: "boundary.guest-binding-refused",
  about,
});

const stranger = (name: string): GateFinding => ({
  code: "boundary.guest-observation-gap",
  about: `${name}: not the container that was watched`,
});
