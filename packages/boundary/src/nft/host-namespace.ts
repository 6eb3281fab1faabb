import { readdirSync, statSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { NetworkNamespace } from "./namespace.js";

declare const changeable: unique symbol;

/** A namespace that may be changed. There is no way to one but `permitChanges`. */
export interface ChangeableNamespace extends NetworkNamespace {
  readonly [changeable]: true;
}

/**
 * A guard: the network namespace of PID 1 is the machine's own, where a rule of ours could cut off
 * whoever administers it. It is changed only when a signed policy says so. Where nobody can tell
 * which one it is, any could be.
 *
 * @throws DrydockError NAMESPACE_HOST
 */
export const permitChanges = (
  namespace: NetworkNamespace,
  { allowHostNetwork }: { readonly allowHostNetwork: boolean },
): ChangeableNamespace => {
  if (!allowHostNetwork) {
    const host = identityOf("/proc/1/ns/net") ?? identityByItsFiles();
    if (host === null) refuse("the network namespace of PID 1 can't be told from this one");
    if (host === namespace.identity) {
      refuse("this is the network namespace of PID 1, and the policy doesn't allow to change it");
    }
  }
  return namespace as ChangeableNamespace;
};

/**
 * Some kernels let nobody look at PID 1's namespaces, root neither. Its /proc/net is readable all
 * the same, and whoever has files of the same inode there is in the same namespace.
 */
const identityByItsFiles = (): string | null => {
  const wanted = identityOf("/proc/1/net/dev");
  if (wanted === null) return null;
  const processes = readdirSync("/proc").filter((name) => /^[1-9][0-9]*$/.test(name));
  const same = ["self", ...processes].find(
    (pid) =>
      identityOf(`/proc/${pid}/net/dev`) === wanted && identityOf(`/proc/${pid}/ns/net`) !== null,
  );
  return same === undefined ? null : identityOf(`/proc/${same}/ns/net`);
};

/** null where it can't be looked at. */
const identityOf = (path: string): string | null => {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    // EACCES, or ENOENT of a process that ended: either way this path gives no answer.
    return null;
  }
};

const refuse = (what: string): never => {
  throw new DrydockError<BoundaryCode>("NAMESPACE_HOST", what, {
    fix: "start the appliance in a network namespace of its own, and name that",
  });
};
