import type { IpAddress } from "../address/address.js";
import type { Reason } from "../decision/index.js";

/** What one look-up came to. `queries` counts questions sent, `ms` whole milliseconds. */
export type Resolution =
  | {
      readonly kind: "addresses";
      /** At least one; A before AAAA, each address once, in the order of the answers. */
      readonly addresses: readonly IpAddress[];
      readonly queries: number;
      readonly ms: number;
    }
  | {
      readonly kind: "refused";
      readonly reason: Reason;
      readonly queries: number;
      readonly ms: number;
    };

export interface Resolver {
  /**
   * Asks for all addresses of a canonical DNS name. Whether they may be dialled is for the caller
   * to judge. Rejects with the signal's reason once it is aborted, every socket closed by then.
   */
  resolve(host: string, signal: AbortSignal): Promise<Resolution>;
}
