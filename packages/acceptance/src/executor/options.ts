import type { ArtifactMasterKey, Entropy } from "../artifact/index.js";
import type { ReadClient, WriteClient } from "../client/index.js";
import type { EvidenceVerifier } from "../confirmation/index.js";
import type { ContractStore } from "../store/index.js";
import type { ExecutionPolicy } from "./authorises.js";

/**
 * Everything that an executor works with comes from outside. There is no default client, no
 * configuration and no environment that it could find one in: what it isn't handed it can't reach.
 */
export interface ExecutorOptions {
  /** Its clock is the only one; its anchor, if any, is its own. */
  readonly store: ContractStore;
  readonly readClient: ReadClient;
  readonly writeClient: WriteClient;
  readonly policy: ExecutionPolicy;
  readonly entropy: Entropy;
  /** What the artifacts' keys are derived from: 32 bytes or more. */
  readonly artifactKey: ArtifactMasterKey;
  /** Null refuses every confirmation. */
  readonly verifyConfirmation: EvidenceVerifier | null;
  /** Null refuses every reconciliation. */
  readonly verifyReconciliation: EvidenceVerifier | null;
}
