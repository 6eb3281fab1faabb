import type { FaultHooks, ReconciliationOutcome } from "@drydock/acceptance";
import type { Fault, Phase } from "@drydock/faults";
import type { ScenarioName } from "./names.js";
import type { Oracle } from "./oracle.js";

export interface Scenario {
  readonly name: ScenarioName;
  /** Where several cases belong to one name. */
  readonly variant: string | null;
  /** What is done to the cycle, for people. */
  readonly what: string;
  /** Taken one after the other. What they are taken on is made for them, and destroyed after it. */
  readonly steps: readonly Step[];
  readonly oracle: Oracle;
}

/** One thing that happens. Whatever is refused and isn't expected to be ends the scenario. */
export type Step =
  /** A new contract, which the steps after it are about. */
  | { readonly do: "prepare" }
  | { readonly do: "confirm" }
  | {
      readonly do: "execute" | "rollback";
      readonly refusedWith?: string;
      /** Why it doesn't end as it should: the executor's class of failure. */
      readonly because?: string;
      /** And what was said: the code of an error, as the executor keeps it. */
      readonly said?: string;
      /** Somebody does this while the request is on its way, held back by the proxy. */
      readonly meanwhile?: Edit;
    }
  /** Somebody at the console changes something. */
  | { readonly do: "edit"; readonly edit: Edit }
  /** What the appliance keeps of its newest revision is gone. */
  | { readonly do: "damage-history" }
  | { readonly do: "arm"; readonly phase: Phase; readonly fault: Fault }
  /** Nobody listens any more where requests that change something go. */
  | { readonly do: "unplug" }
  /** A process of its own does it, and kills itself at this point of this write. */
  | { readonly do: "kill"; readonly during: "execute" | "rollback"; readonly at: KillPoint }
  /** Whoever works on the contract is gone, and somebody else begins with the same store. */
  | { readonly do: "restart"; readonly refusedWith?: string }
  /** Somebody looks at the appliance and signs what became of the contract. */
  | {
      readonly do: "sign";
      readonly outcome: ReconciliationOutcome;
      readonly flaw?: Flaw;
      readonly refusedWith?: string;
    }
  /** While nobody has the store. */
  | { readonly do: "tamper"; readonly how: Tampering }
  /** By the scenario's clock. */
  | { readonly do: "wait"; readonly ms: number }
  /** No file of the store may hold a value that was read. */
  | { readonly do: "search" };

export interface KillPoint {
  readonly point: keyof FaultHooks;
  /** As the store calls it: `acquire`, `seal-verified`. */
  readonly write: string;
}

export type Edit =
  | "description"
  /** One member more. */
  | "members"
  /** The description that was there before the change. */
  | "put-back"
  /** Another alias is put first. */
  | "renumber"
  /** Another alias is put last. */
  | "neighbour"
  /** The target is there a second time, last, under the same name. */
  | "duplicate"
  | "delete";

/** What is wrong with what is signed. */
export type Flaw =
  /** Under the right name, by another key. */
  | "stranger"
  /** About the contract as it was one step before. */
  | "stale"
  /** With the nonce of the confirmation. */
  | "replayed"
  /** With the fingerprint from before the change. */
  | "unchanged";

export type Tampering =
  /** One letter of a state. */
  | "state"
  /** The whole file as it was when the contract was prepared. */
  | "older-copy"
  | "sealed-fingerprint"
  | "protected-snapshot"
  /** Another version of the tables. */
  | "version"
  /** Half of the file. */
  | "cut"
  | "gone";
