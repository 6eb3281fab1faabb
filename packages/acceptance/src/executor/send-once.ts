import type { ApplianceRequest, SendOutcome, WriteClient } from "../client/index.js";
import { refusal } from "./refusal.js";

/** Takes one request, and then none any more. */
export type Sending = (request: ApplianceRequest) => Promise<SendOutcome>;

/**
 * The only place where anything is sent. Whoever acquired a contract gets one `Sending`, which asks
 * the client once; there is no loop here and nothing that could be called again.
 *
 * A client that throws may have sent before: nothing that it says makes that "not sent".
 */
export const sendOnce = (client: WriteClient): Sending => {
  let spent = false;
  return async (request) => {
    if (spent) throw refusal("EXECUTOR_SENT_ALREADY");
    spent = true;
    try {
      return await client.send(request);
    } catch {
      // What it says could hold a value, and changes nothing about what is known.
      return { kind: "ambiguous", reason: "UNKNOWN" };
    }
  };
};
