import type { EngineContainer } from "../engine/index.js";
import type { AuthorityHolder } from "../gate/index.js";
import type { LabelSelector } from "../model/index.js";
import { formatSelector, selects } from "../policy/index.js";
import { powersOf } from "./powers.js";

/** Ways to an engine that no container is needed for. */
export interface HostAccess {
  /** `tcp 0.0.0.0:2375` for each address that the engine's API listens on. */
  readonly api: readonly string[];
  /** Other engines in the appliance's namespace, by name and process. */
  readonly otherEngines: readonly string[];
}

export interface HolderInventory {
  readonly holders: readonly AuthorityHolder[];
  /** Signed selectors that no running holder bears. */
  readonly missing: readonly string[];
}

/**
 * Everybody who can tell the engine what to do, modelled or not, against those that the policy
 * names, both ways: one too many and one too few are both findings of the gate's.
 */
export const holderInventory = (
  containers: readonly EngineContainer[],
  host: HostAccess,
  {
    allowed,
    daemonId,
    sockets,
    mounting,
  }: {
    readonly allowed: readonly LabelSelector[];
    readonly daemonId: string;
    readonly sockets: readonly string[];
    /** Ids of those that have one of them among their mounts. */
    readonly mounting: ReadonlySet<string>;
  },
): HolderInventory => {
  const inContainers = containers.flatMap((container): readonly AuthorityHolder[] => {
    const { access, overprivileged } = powersOf(container, sockets, mounting.has(container.id));
    if (access === null) return [];
    const selector = allowed.find((one) => selects(one, container.labels));
    return [
      {
        identity: container.name,
        selector: selector === undefined ? null : formatSelector(selector),
        daemonId,
        access,
        overprivileged,
      },
    ];
  });
  const outside = [
    ...host.api.map((identity) => outsider(identity, "api", daemonId)),
    ...host.otherEngines.map((identity) => outsider(identity, "host", "another engine")),
  ];
  const running = new Set(containers.filter(({ running: is }) => is).map(({ name }) => name));
  const borne = new Set(
    inContainers.filter(({ identity }) => running.has(identity)).map(({ selector }) => selector),
  );
  return {
    holders: [...inContainers, ...outside],
    missing: allowed.map(formatSelector).filter((selector) => !borne.has(selector)),
  };
};

const outsider = (
  identity: string,
  access: AuthorityHolder["access"],
  daemonId: string,
): AuthorityHolder => ({ identity, selector: null, daemonId, access, overprivileged: [] });
