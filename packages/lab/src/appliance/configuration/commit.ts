import { refuse } from "../answer/index.js";
import type { Appliance, Configuration, Subsystem } from "./configuration.js";
import { recorded, revisionOf } from "./history.js";

export interface Change {
  readonly configuration: Configuration;
  /** Such as "Modified Firewall Alias via API". */
  readonly note: string;
  /** What has changes now that have to be applied; null where none have. */
  readonly subsystem: Subsystem | null;
  readonly by: { readonly username: string; readonly address: string };
  readonly seconds: number;
}

/**
 * Writes a changed configuration: a revision, and a mark that its subsystem has changes.
 *
 * @throws ApiRefusal MODEL_WRITE_CONFIG_LOCKED while somebody else writes
 */
export const commit = (
  appliance: Appliance,
  { configuration, note, subsystem, by, seconds }: Change,
): Appliance => {
  if (appliance.writeLocked) {
    return refuse(
      503,
      "MODEL_WRITE_CONFIG_LOCKED",
      "Failed to write to the configuration file after multiple attempts.",
    );
  }
  const description = `${by.username}@${by.address} (API):  ${note}`;
  return {
    ...appliance,
    configuration,
    history: recorded(appliance.history, revisionOf(configuration, description, seconds)),
    pending: subsystem === null ? appliance.pending : marked(appliance.pending, subsystem),
  };
};

const marked = (pending: readonly Subsystem[], subsystem: Subsystem): readonly Subsystem[] =>
  pending.includes(subsystem) ? pending : [...pending, subsystem];

export const applied = (appliance: Appliance, subsystems: readonly Subsystem[]): Appliance => ({
  ...appliance,
  pending: appliance.pending.filter((one) => !subsystems.includes(one)),
});
