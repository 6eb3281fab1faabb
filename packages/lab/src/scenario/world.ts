import type { ReadClient, WriteClient } from "@drydock/acceptance";
import type { FaultProxy } from "@drydock/faults";
import type { RunningAppliance } from "../appliance/index.js";

/** The lab that a scenario plays in. What reads and writes goes through the proxy. */
export interface World {
  readonly appliance: Pick<RunningAppliance, "snapshot" | "restore" | "atConsole">;
  readonly proxy: Pick<FaultProxy, "arm" | "disarm" | "begin" | "log">;
  readonly read: ReadClient;
  readonly write: WriteClient;
  /** The alias that may be changed. */
  readonly candidate: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Gives that many unguessable bytes. */
  readonly entropy: (bytes: number) => Buffer;
  /** A directory of this user alone, in which stores live as long as their scenario. */
  readonly directory: string;
}
