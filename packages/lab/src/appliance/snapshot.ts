import { type Digest, digestOfValue } from "@drydock/evidence";
import type { Appliance, Configuration, Revision } from "./configuration/index.js";

/** Everything that an appliance keeps, as a hypervisor would copy its disk while it is off. */
export interface Snapshot {
  readonly configuration: Configuration;
  readonly history: readonly Revision[];
  /** Of both. */
  readonly digest: Digest;
}

export const snapshotOf = (
  configuration: Configuration,
  history: readonly Revision[],
): Snapshot => ({ configuration, history, digest: digestOfValue({ configuration, history }) });

export const takeSnapshot = ({ configuration, history }: Appliance): Snapshot =>
  snapshotOf(configuration, history);

/**
 * The appliance as it was, started anew. Everything comes back: a key that was revoked since, and
 * a read-only mode that was off, as well.
 */
export const restoreSnapshot = (
  appliance: Appliance,
  { configuration, history }: Snapshot,
): Appliance => ({ ...appliance, configuration, history, pending: [], writeLocked: false });
