import type { IpAddress } from "../address/address.js";
import type { Reason } from "../decision/index.js";

/** What one look-up came to. `queries` counts questions sent, `ms` whole milliseconds. */
export type Resolution = {
  readonly queries: number;
  readonly ms: number;
  readonly source: AnswerSource;
  /** How long ago it was asked for, in whole milliseconds; 0 unless it was kept. */
  readonly ageMs: number;
} & (
  | {
      readonly kind: "addresses";
      /** At least one; A before AAAA, each address once, in the order of the answers. */
      readonly addresses: readonly IpAddress[];
      /** Of the answer as it came, in seconds. */
      readonly ttl: number;
    }
  | { readonly kind: "refused"; readonly reason: Reason }
);

/** `asked` for this decision; `shared` with one that asked at the same time; `kept` since an earlier one. */
export type AnswerSource = "asked" | "shared" | "kept";

export interface Resolver {
  /**
   * All addresses of a canonical DNS name. Whether they may be dialled is for the caller to judge.
   * Rejects with the signal's reason once it is aborted, every socket closed by then.
   */
  resolve(host: string, signal: AbortSignal): Promise<Resolution>;
}
