import { REASONS, type Reason } from "../decision/index.js";
import type { Fields } from "../secret/index.js";

export interface Refusal {
  readonly status: number;
  readonly fields: Fields;
  readonly body: Uint8Array;
}

/** What a client inside of a terminated tunnel gets to see: the code, and no word of its request. */
export const refusal = (reason: Reason): Refusal => {
  const body = Buffer.from(`drydock: ${reason}: ${REASONS[reason].doc}\n`);
  return {
    status: statusOf(reason),
    fields: [
      ["content-type", "text/plain; charset=utf-8"],
      ["content-length", `${body.length}`],
      ["cache-control", "no-store"],
      ["drydock-reason", reason],
    ],
    body,
  };
};

const statusOf = (reason: Reason): number => {
  switch (reason) {
    case "HOST_DIFFERENT":
      // RFC 9110 §15.5.20: clients that coalesce (RFC 9113 §9.1.1) then try a connection of its own.
      return 421;
    case "REQUEST_SYNTAX":
    case "FRAMING":
      return 400;
    case "REQUEST_VERSION":
      return 505;
    case "HEADER_TOO_LARGE":
      return 431;
    case "CAPACITY":
      return 503;
    case "RESPONSE_ENCODED":
    case "RESPONSE_SYNTAX":
    case "RESPONSE_TOO_LARGE":
    case "UPSTREAM_RESET":
      return 502;
    default:
      return 403;
  }
};
