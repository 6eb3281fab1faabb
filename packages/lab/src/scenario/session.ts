import {
  type ContractStore,
  createExecutor,
  type EvidenceVerifier,
  type Executor,
  type FaultHooks,
  openAnchorFile,
  pfsenseAliasDescription,
  type ReadClient,
  type WriteClient,
} from "@drydock/acceptance";
import { openContractStoreWithHooks } from "@drydock/acceptance/rehearsal";
import type { HandedStore } from "./world.js";

export interface SessionOptions extends Omit<HandedStore, "scenario"> {
  readonly artifactKey: Buffer;
  readonly read: ReadClient;
  readonly write: WriteClient;
  readonly clock: () => number;
  readonly entropy: (bytes: number) => Buffer;
  /** Of confirmations and conclusions; null refuses all of them. */
  readonly verifier: EvidenceVerifier | null;
  readonly hooks?: FaultHooks;
}

/** Somebody at work with a scenario's store, until it is closed: one at a time, in any process. */
export interface Session {
  readonly store: ContractStore;
  readonly executor: Executor;
  close(): void;
}

/**
 * Opens the store with its anchor, and takes up whatever was under way in it.
 *
 * @throws DrydockError STORE_…
 */
export const openSession = (options: SessionOptions): Session => {
  const { storeId, directory, anchorDirectory, key, clock, entropy, hooks = {} } = options;
  const anchor = openAnchorFile({ directory: anchorDirectory, storeId });
  const endings: (() => void)[] = [() => anchor.close()];
  const close = (): void => {
    for (const end of endings.reverse()) end();
  };
  try {
    const store = openContractStoreWithHooks({ directory, storeId, key, clock, anchor, hooks });
    endings.push(() => store.close());
    const { capability, endpointSymbol, httpMethod } = pfsenseAliasDescription;
    const executor = createExecutor({
      store,
      readClient: options.read,
      writeClient: options.write,
      policy: { grants: [{ capability, endpointSymbol, httpMethod }] },
      entropy,
      artifactKey: options.artifactKey,
      verifyConfirmation: options.verifier,
      verifyReconciliation: options.verifier,
    });
    return { store, executor, close };
  } catch (error) {
    close();
    throw error;
  }
};
