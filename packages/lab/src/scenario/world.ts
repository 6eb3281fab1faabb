import type { JsonObject, JsonValue } from "@drydock/evidence";
import type { FaultProxy } from "@drydock/faults";
import type { Snapshot } from "../appliance/index.js";
import type { LabCredential } from "../configuration/index.js";
import type { Endpoint } from "../transport/index.js";

/** An appliance as it is looked at from outside. Accounts may be stood in for by their digest. */
export type ApplianceView = Pick<Snapshot, "digest"> & {
  readonly configuration: Pick<Snapshot["configuration"], "aliases">;
};

export interface ConsoleAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** What a hypervisor and somebody at the console do; the stand-in may be in another process. */
export interface ApplianceFromOutside {
  snapshot(): ApplianceView | Promise<ApplianceView>;
  /** As it was when this view was taken. */
  restore(view: ApplianceView): void | Promise<void>;
  /** The newest revision that it keeps has no bytes any more. */
  damageHistory(): void | Promise<void>;
  /** The alias is there once more, as in a configuration file that was edited by hand. */
  duplicateAlias(name: string): void | Promise<void>;
  atConsole(method: string, path: string, data?: JsonValue): Promise<ConsoleAnswer | null>;
}

/** What it takes to open a scenario's store without whoever made it. */
export interface HandedStore {
  readonly scenario: string;
  readonly directory: string;
  readonly anchorDirectory: string;
  readonly storeId: string;
  readonly key: Buffer;
}

/** The lab that a scenario plays in. */
export interface World {
  readonly appliance: ApplianceFromOutside;
  readonly proxy: Pick<FaultProxy, "arm" | "disarm" | "begin" | "log">;
  /** Where the proxy listens. Answers that are kept back are waited for as long as this says. */
  readonly endpoint: Endpoint;
  readonly credential: LabCredential;
  /** The alias that may be changed. */
  readonly candidate: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Gives that many unguessable bytes. */
  readonly entropy: (bytes: number) => Buffer;
  /** A directory of this user alone, in which stores live as long as their scenario. */
  readonly directory: string;
  /**
   * Resolves when somebody who outlives this process has what opens a store: before its first write,
   * so that no contract is lost with the process.
   */
  readonly handOver: (store: HandedStore) => Promise<void>;
}
