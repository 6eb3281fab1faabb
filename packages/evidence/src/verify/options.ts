import type { Finding } from "../finding.js";
import type { GateResult } from "../gates/evaluate.js";
import type { Verdict } from "../gates/gate.js";
import type { Instant } from "../schema/common.js";
import type { Trust } from "../trust/trust.js";
import type { Completeness, Integrity } from "../verdict/derive.js";

export interface JournalSource {
  /** Contents of the journal's log, in chunks. */
  readonly log: Iterable<Buffer>;
  readonly checkpoints: string;
}

export interface VerifyOptions {
  readonly trust: Trust;
  /** The controller's journal, to see whether earlier attempts were left out. */
  readonly journal?: JournalSource;
  /** A signed checkpoint, of this run's log or of the journal, that was kept elsewhere. */
  readonly expect?: string;
  /** Report the gates as derived from the logs here and now. */
  readonly rederive?: boolean;
  /** Keys that aren't valid yet at this instant are refused. */
  readonly now: Instant;
}

export interface VerifyReport {
  /** Integrity holds, nothing is missing, and the logs give the verdict that was signed. */
  readonly ok: boolean;
  readonly integrity: Integrity;
  readonly completeness: Completeness;
  /** A head that was kept elsewhere, or a trusted witness, vouches for this very run. */
  readonly anchored: boolean;
  readonly verdict: Verdict;
  readonly run: string | null;
  readonly gates?: readonly GateResult[];
  readonly findings: readonly Finding[];
}
