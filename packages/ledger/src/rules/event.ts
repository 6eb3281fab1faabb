import type { Resources } from "../resources/vector.js";
import type { HaltReading } from "./halt-gate.js";
import type { OwnerWitness, RunOutcome } from "./row.js";

/**
 * Everything that can happen to a run in the ledger. `at` and `until` are milliseconds since the
 * epoch, supplied by the caller. `generation` is the lease under which the caller acts.
 */
export type LedgerEvent =
  | {
      readonly type: "propose";
      readonly run: string;
      readonly key: string;
      readonly request: string;
      readonly title: string;
      readonly evidence: string;
      readonly owner: OwnerWitness;
      readonly holder: string;
      readonly until: number;
      readonly at: number;
    }
  | (Acting & {
      readonly type: "reserve";
      readonly resources: Resources;
      readonly ceiling: Resources;
      readonly halt: HaltReading;
    })
  | (Acting & { readonly type: "intent"; readonly intent: string; readonly halt: HaltReading })
  | (Acting & { readonly type: "settle"; readonly used: Resources })
  | (Acting & { readonly type: "hold"; readonly reason: string })
  | (Acting & { readonly type: "release" })
  | (Acting & { readonly type: "conclude"; readonly outcome: RunOutcome })
  | (Acting & { readonly type: "renew"; readonly until: number })
  /** Take the run over from a lapsed holder, with the next generation. */
  | {
      readonly type: "lease";
      readonly run: string;
      readonly holder: string;
      readonly owner: OwnerWitness;
      readonly until: number;
      readonly at: number;
    }
  /** The owner is gone. `bodyGone` is an observation, not a hope. */
  | {
      readonly type: "abandon";
      readonly run: string;
      readonly reason: string;
      readonly bodyGone: boolean;
      readonly at: number;
    };

interface Acting {
  readonly run: string;
  readonly generation: number;
  readonly at: number;
}

export type ActingEvent = Extract<LedgerEvent, Acting>;

export type LedgerRefusal =
  | "LEDGER_UNKNOWN_RUN"
  | "LEDGER_RUN_EXISTS"
  | "LEDGER_KEY_REUSED"
  | "LEDGER_FENCED"
  | "LEDGER_LEASE_LAPSED"
  | "LEDGER_LEASE_HELD"
  | "LEDGER_HALTED"
  | "LEDGER_OVER_CEILING"
  | "LEDGER_WRONG_STATE"
  | "LEDGER_DIFFERENT_REPEAT";
