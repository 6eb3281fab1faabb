import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { canonicalise, type JsonObject, type JsonValue } from "@drydock/evidence";
import type { CapabilityAdapter } from "../../adapter/index.js";
import { pfsenseAliasDescription } from "../../adapters/pfsense-alias-description/index.js";
import { syntheticNotice } from "../../adapters/synthetic-notice/index.js";
import type {
  ApplianceRequest,
  ReadAnswer,
  ReadClient,
  SendOutcome,
  WriteClient,
} from "../../client/index.js";
import { MemoryAppliance } from "../../conformance/model.js";
import type { Specimen } from "../../conformance/specimen.js";
import { aliasSpecimen, noticeSpecimen } from "../../conformance/testing/specimens.js";
import type { RecoveryContract } from "../../contract/index.js";
import { type ContractStore, openContractStore } from "../../store/index.js";
import { confirmationOf, handClock, ownDirectory, verifier } from "../../testing/contracts.js";
import { answerOf, HISTORY_PATH, revisions } from "../../testing/revisions.js";
import { createExecutor, type Executor } from "../executor.js";
import type { ExecutorOptions } from "../options.js";

type AnyAdapter = CapabilityAdapter<JsonObject, JsonObject>;

export interface Subject {
  readonly adapter: AnyAdapter;
  readonly specimen: Specimen;
  /** The target's place among the appliance's objects. */
  readonly place: number;
}

export const ALIAS: Subject = {
  adapter: pfsenseAliasDescription as unknown as AnyAdapter,
  specimen: aliasSpecimen,
  place: 1,
};

export const NOTICE: Subject = {
  adapter: syntheticNotice as unknown as AnyAdapter,
  specimen: noticeSpecimen,
  place: 0,
};

type Send = (request: ApplianceRequest, appliance: MemoryAppliance) => Promise<SendOutcome>;

/** An executor over a real store and an appliance in memory, all of which a test can get at. */
export interface Rig extends Subject {
  readonly appliance: MemoryAppliance;
  readonly store: ContractStore;
  readonly executor: Executor;
  readonly options: ExecutorOptions;
  readonly clock: ReturnType<typeof handClock>;
  readonly intent: JsonObject;
  /** How often anything was handed to the write client. */
  readonly sends: () => number;
  /** What happens to what is sent; passed on to the appliance unless set. */
  send: Send;
  /** What the appliance's history answers, and what was asked of it. */
  history: () => Promise<ReadAnswer>;
  readonly historyReads: readonly unknown[];
  /** What happens to reads of targets, by how many there were before. */
  readThrough: ((get: ReadClient["get"]) => ReadClient["get"]) | null;
  /** The first of the specimen's intents unless another is given. */
  prepared(intent?: JsonObject): Promise<RecoveryContract>;
  confirmed(intent?: JsonObject): Promise<RecoveryContract>;
  /** Prepared, confirmed and executed without any trouble. */
  verified(intent?: JsonObject): Promise<RecoveryContract>;
  /** Everything that the appliance holds. */
  whole(): string;
  edit(key: string, value: JsonValue): void;
  /** As after a crash: another executor over the same file. */
  restart(): Rig;
}

const PASS: Send = async (request, appliance) => ({
  kind: "answered",
  ...appliance.apply(request),
});

interface Ending {
  after(fn: () => void): void;
}

export const rig = (
  test: Ending,
  subject: Subject = ALIAS,
  change: Partial<ExecutorOptions> = {},
): Rig => {
  const directory = join(ownDirectory(test), "store");
  mkdirSync(directory, { mode: 0o700 });
  const appliance = new MemoryAppliance(subject.specimen.appliance);
  return over(test, subject, change, { directory, appliance, clock: handClock() });
};

const over = (
  test: Ending,
  subject: Subject,
  change: Partial<ExecutorOptions>,
  world: {
    readonly directory: string;
    readonly appliance: MemoryAppliance;
    readonly clock: ReturnType<typeof handClock>;
  },
): Rig => {
  const { directory, appliance, clock } = world;
  const { capability, endpointSymbol, httpMethod } = subject.adapter;
  const store = openContractStore({
    directory,
    storeId: "rig",
    key: Buffer.alloc(32, 7),
    clock: clock.read,
  });
  test.after(() => store.close());
  let sent = 0;
  let drawn = 0;
  const historyReads: unknown[] = [];
  const readClient: ReadClient = {
    get: (path, query) => {
      if (path === HISTORY_PATH) {
        historyReads.push(query);
        return made.history();
      }
      const get: ReadClient["get"] = (asked) => appliance.get(asked);
      return (made.readThrough?.(get) ?? get)(path, query);
    },
  };
  const writeClient: WriteClient = {
    send: (request) => {
      sent += 1;
      return made.send(request, appliance);
    },
  };
  const options: ExecutorOptions = {
    store,
    readClient,
    writeClient,
    policy: { grants: [{ capability, endpointSymbol, httpMethod }] },
    // Not random, so that a failure is a failure again; never the same twice.
    entropy: (length) => {
      drawn += 1;
      const bytes = Buffer.alloc(length, 0x5a);
      bytes.writeUInt32BE(drawn, 0);
      bytes.writeUInt32BE(store.contracts().length, 4);
      return bytes;
    },
    artifactKey: Buffer.alloc(32, 9),
    verifyConfirmation: verifier,
    verifyReconciliation: verifier,
    ...change,
  };
  const executor = createExecutor(options);
  const [intent] = subject.specimen.intents;
  const made: Rig = {
    ...subject,
    appliance,
    store,
    executor,
    options,
    clock,
    intent,
    sends: () => sent,
    send: PASS,
    history: async () => answerOf(revisions(3)),
    historyReads,
    readThrough: null,
    prepared: (wanted = intent) => executor.prepare(subject.adapter, wanted),
    confirmed: async (wanted = intent) => {
      const contract = await made.prepared(wanted);
      return executor.confirm(contract.contractId, confirmationOf(contract));
    },
    verified: async (wanted = intent) => {
      const { contractId } = await made.confirmed(wanted);
      const { contract, kind } = await executor.execute(contractId, subject.adapter, wanted);
      if (kind !== "verified") throw new Error(`the rig's change ended ${kind}`);
      return contract;
    },
    whole: () => canonicalise(appliance.objects),
    edit: (key, value) => {
      appliance.objects = appliance.objects.map((object, at) =>
        at === subject.place ? { ...object, [key]: value } : object,
      );
    },
    restart: () => {
      store.close();
      return over(test, subject, change, world);
    },
  };
  return made;
};
