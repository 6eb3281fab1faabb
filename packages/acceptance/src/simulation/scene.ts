import type { ConfirmationEvidence, EvidenceVerifier } from "../confirmation/index.js";
import type {
  ContractTerms,
  HexDigest,
  Millis,
  ReconciliationOutcome,
  RecoveryContract,
} from "../contract/index.js";
import type { ReconciliationEvidence } from "../reconciliation/index.js";
import type { SimulatedStore } from "./memory-store.js";

/** Everything that a simulation is handed, so that it makes nothing up itself. */
export interface Scene {
  /** A number from 0 to below `below`. */
  readonly random: (below: number) => number;
  readonly openStore: (clock: () => Millis) => SimulatedStore;
  readonly start: Millis;
  readonly targets: readonly string[];
  readonly termsOf: (name: string, target: string, at: Millis) => ContractTerms;
  /** What a target is once a contract has changed it. */
  readonly changed: (contract: RecoveryContract) => HexDigest;
  /** What a target is once somebody else has. */
  readonly edited: (at: Millis) => HexDigest;
  readonly confirmation: (contract: RecoveryContract, nonce: string) => ConfirmationEvidence;
  readonly conclusion: (
    contract: RecoveryContract,
    outcome: ReconciliationOutcome,
    fields: Partial<ReconciliationEvidence>,
  ) => ReconciliationEvidence;
  readonly verifier: EvidenceVerifier;
  /** Whether a second operator is kept out while one lives. */
  readonly oneWorkplace: boolean;
}
