import { DrydockError } from "@drydock/evidence";

/** Why a read has no answer. Codes are stable. */
export const TRANSPORT_CODES = {
  TRANSPORT_NOT_ALLOW_LISTED: "the request isn't one that may be sent",
  TRANSPORT_CONNECT: "no connection to the appliance",
  TRANSPORT_RESET: "the connection to the appliance broke",
  TRANSPORT_TIMEOUT: "the appliance didn't answer in time",
  TRANSPORT_TRUNCATED: "the appliance's answer ended too early",
  TRANSPORT_PROTOCOL: "the appliance's answer isn't JSON over HTTP",
  TRANSPORT_TLS: "the appliance didn't prove who it is",
  TRANSPORT_TOO_LARGE: "the appliance's answer is longer than the limit",
} as const;

export type TransportErrorCode = keyof typeof TRANSPORT_CODES;

/** It takes no text and no cause, since either could carry a value. */
export class TransportError extends DrydockError<TransportErrorCode> {
  constructor(code: TransportErrorCode) {
    super(code, TRANSPORT_CODES[code]);
  }
}
