import type { EgressSupplies, Order } from "../contract/index.js";
import type { SourceRequest } from "../seal/index.js";
import type { RunSpec } from "../spec/index.js";
import type { Program } from "./program.js";

/** A way out. */
export interface LaunchEgress {
  /** Its policy in canonical JSON, who signed it, and which secrets there are: all but their values. */
  readonly sealed: NonNullable<Order["egress"]>;
  /** For the broker alone. */
  readonly supplies: EgressSupplies;
  /** Variables of commands that name the certificates of the run; none when it has no CA. */
  readonly trust: Readonly<Record<string, string>>;
}

export interface LaunchOptions {
  readonly state: string;
  readonly cache: string;
  readonly program: Program;
  readonly spec: RunSpec;
  readonly source: SourceRequest | null;
  /** One key is one run, for ever; null for a run of its own. */
  readonly idempotencyKey: string | null;
  /** Whether the command gets a terminal; false when it isn't said. */
  readonly terminal?: boolean;
  /** What the guest may reach; null for nothing. */
  readonly egress: LaunchEgress | null;
  readonly onPhase?: (phase: string) => void;
  readonly onNote?: (note: string) => void;
}
