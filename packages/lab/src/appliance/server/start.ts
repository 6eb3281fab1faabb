import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject, type JsonValue } from "@drydock/evidence";
import { type Account, keysOf, usersOf } from "../accounts.js";
import type { ApiAnswer } from "../answer/index.js";
import {
  type Behaviour,
  type Configuration,
  factoryConfiguration,
  revisionOf,
  withDuplicate,
  withoutNewestBytes,
} from "../configuration/index.js";
import { type Snapshot, snapshotOf } from "../snapshot.js";
import { step } from "../step.js";
import type { ApplianceIdentity } from "./ca.js";
import { createEngine, type EngineOptions } from "./engine.js";
import { openKeep } from "./keep.js";
import { requireIsolation } from "./namespace.js";
import { type Place, requirePlace } from "./place.js";
import { createApplianceServer, type RequestRecord } from "./serve.js";

export interface ApplianceOptions extends Place {
  readonly identity: ApplianceIdentity;
  /** Of what survives the process. When it is empty, the appliance begins as `setUp` says. */
  readonly stateDirectory: string;
  readonly setUp: {
    readonly accounts: readonly Account[];
    /** Parts that are to differ from an appliance as it comes. */
    readonly configuration?: Partial<Configuration>;
  };
  readonly behaviour?: Partial<Behaviour>;
  /** In milliseconds since 1970. */
  readonly clock: () => number;
  /** Gives that many unguessable bytes. */
  readonly random: (length: number) => Uint8Array;
  readonly timing?: Pick<EngineOptions, "reloadMs" | "lockAttempts">;
}

/** A stand-in appliance that serves. What can be done here is done at its console, not by its API. */
export interface RunningAppliance extends Place {
  /** `https://ADDRESS:PORT`. */
  readonly url: string;
  readonly caCertificatePem: string;
  /** Requests that were answered, in order, without any value. At most the last 10,000. */
  readonly requests: () => readonly RequestRecord[];
  readonly snapshot: () => Snapshot;
  /** @throws DrydockError LAB_STATE */
  restore(snapshot: Snapshot): void;
  /** Empties the newest revision's file, as a crash may leave it. */
  damageHistory(): void;
  /**
   * Writes the alias once more into the configuration's file, by hand.
   *
   * @throws DrydockError LAB_COMMAND where there is none of that name
   */
  duplicateAlias(name: string): void;
  /** Holds the lock on the configuration file, or lets go of it. */
  lock(held: boolean): void;
  /** What somebody does at the console or in the web interface; no check of the API is made. */
  atConsole(method: string, path: string, data?: JsonValue): Promise<ApiAnswer | null>;
  close(): Promise<void>;
}

const DEFAULT_BEHAVIOUR: Behaviour = { apiVersion: "2.10.0", keysExpireWithUser: false };

const MAX_RECORDS = 10_000;

/**
 * Starts a stand-in for an appliance with the pfSense REST API package in this process, in a network
 * namespace that has its address already.
 *
 * @throws DrydockError LAB_PLACE, LAB_NAMESPACE, LAB_STATE
 */
export const startAppliance = async (options: ApplianceOptions): Promise<RunningAppliance> => {
  requirePlace(options);
  requireIsolation();
  const { address, port, name, clock, random, identity } = options;
  const keep = openKeep(options.stateDirectory);
  const kept = keep.load();
  const { configuration, history } = kept ?? fresh(options);
  const engine = createEngine({
    appliance: step(
      {
        behaviour: { ...DEFAULT_BEHAVIOUR, ...options.behaviour },
        configuration,
        history,
        pending: [],
        writeLocked: false,
      },
      { kind: "restarted" },
    ).appliance,
    keep,
    later: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    ...options.timing,
  });
  if (kept === null) engine.restore(engine.snapshot());
  const records: RequestRecord[] = [];
  const server = createApplianceServer({
    identity,
    random,
    clock,
    answer: (call) => engine.handle({ kind: "request", call }),
    onAnswered: (record) => {
      records.push(record);
      if (records.length > MAX_RECORDS) records.shift();
    },
  });
  server.listen(port, address);
  await once(server, "listening");
  const listening = (server.address() as AddressInfo).port;
  return {
    address,
    port: listening,
    name,
    url: `https://${address}:${listening}`,
    caCertificatePem: identity.caCertificatePem,
    requests: () => [...records],
    snapshot: () => engine.snapshot(),
    restore: (snapshot) => engine.restore(snapshot),
    damageHistory: () => {
      const now = engine.snapshot();
      engine.restore(snapshotOf(now.configuration, withoutNewestBytes(now.history)));
    },
    duplicateAlias: (alias) => {
      const now = engine.snapshot();
      engine.restore(snapshotOf(withDuplicate(now.configuration, alias), now.history));
    },
    lock: (held) => void engine.handle({ kind: "write-lock", held }),
    atConsole: (method, path, data = {}) =>
      engine.handle({
        kind: "console",
        call: {
          method,
          path,
          data: isJsonObject(data) || Array.isArray(data) ? (data as JsonObject) : {},
          seconds: Math.floor(clock() / 1000),
          entropy: random(64),
        },
      }),
    async close() {
      engine.close();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};

/** As it comes, but for what it is set up with: somebody saved that once. */
const fresh = ({ address, random, setUp, clock }: ApplianceOptions): Snapshot => {
  const configuration: Configuration = {
    ...factoryConfiguration({
      address,
      serverKey: Buffer.from(random(32)).toString("hex"),
      users: usersOf(setUp.accounts, random),
      keys: keysOf(setUp.accounts),
    }),
    ...setUp.configuration,
  };
  const seconds = Math.floor(clock() / 1000);
  return snapshotOf(configuration, [revisionOf(configuration, "(system): set up", seconds)]);
};
