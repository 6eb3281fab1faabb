import { DrydockError } from "@drydock/evidence";

/** A network namespace as a process in it sees it. */
export interface SeenNamespace {
  readonly identity: string;
  /** Its /proc/self/net/dev. */
  readonly table: string;
}

/**
 * Guard: links are made in a network namespace that is made for them, and never in the one that
 * whoever started this is in, nor in one that has a link already.
 *
 * @param starter identity of the namespace of whoever started this process
 * @throws DrydockError LAB_NAMESPACE
 */
export const requireFreshNamespace = (
  { identity, table }: SeenNamespace,
  starter: string,
): void => {
  if (identity === starter) {
    throw new DrydockError("LAB_NAMESPACE", "this is the network namespace of who started this", {
      fix: "start it in one of its own, as drydock lab appliance does",
    });
  }
  const links = table.split("\n").slice(2);
  if (links.some((line) => line !== "" && !/^\s*lo:/.test(line))) {
    throw new DrydockError("LAB_NAMESPACE", "this network namespace has links already", {
      fix: "start it in a new one, as drydock lab appliance does",
    });
  }
};
