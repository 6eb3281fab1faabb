import { DrydockError, isDrydockError } from "@drydock/evidence";
import { ADAPTER_CODES, AdapterError, type AdapterErrorCode } from "../adapter/index.js";
import { TRANSPORT_CODES, TransportError, type TransportErrorCode } from "../client/index.js";
import { ACCEPTANCE_CODES, type AcceptanceCode } from "../codes.js";
import type { Cause } from "../contract/index.js";
import { refusal } from "./refusal.js";

/** Why a step didn't end as it should; the whole vocabulary. */
export type FailureClass =
  | "HISTORY_UNAVAILABLE"
  | "READ_FAILED"
  | "TARGET_DRIFTED"
  | "TARGET_MOVED"
  | "ADAPTER_REFUSED"
  | "REQUEST_INVALID"
  | "SEND_NOT_SENT"
  | "SEND_REFUSED"
  | "SEND_AMBIGUOUS"
  | "READBACK_FAILED"
  | "READBACK_MOVED"
  | "READBACK_UNCHANGED"
  | "READBACK_DIFFERENT";

/** @param error what `wordFor` made of one, or a reason of the client's port. */
export const causeOf = (failureClass: FailureClass, error: string | null = null): Cause => ({
  failureClass,
  exceptionClass: error,
});

/**
 * What an error is called where it is kept: a code of ours, or UNKNOWN. Its message, and a code or
 * a name that isn't ours, may hold anything.
 */
export const wordFor = (error: unknown): string => {
  if (!isDrydockError(error)) return "UNKNOWN";
  // Whoever throws may have made its code of anything.
  const code: unknown = error.code;
  if (typeof code !== "string") return "UNKNOWN";
  return isAdapterCode(code) || isTransportCode(code) || isAcceptanceCode(code) ? code : "UNKNOWN";
};

/**
 * Runs what adapters and clients do, and throws their refusals again by their codes alone: their
 * messages, causes and stacks stay behind.
 *
 * @throws AdapterError, TransportError or DrydockError; EXECUTOR_ADAPTER_BROKEN for anything else.
 */
export const valueFree = async <T>(act: () => T | Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    const word = wordFor(error);
    if (isAdapterCode(word)) throw new AdapterError(word);
    if (isTransportCode(word)) throw new TransportError(word);
    if (isAcceptanceCode(word)) throw new DrydockError(word, ACCEPTANCE_CODES[word]);
    throw refusal("EXECUTOR_ADAPTER_BROKEN");
  }
};

const isAdapterCode = (code: string): code is AdapterErrorCode =>
  Object.hasOwn(ADAPTER_CODES, code);

const isTransportCode = (code: string): code is TransportErrorCode =>
  Object.hasOwn(TRANSPORT_CODES, code);

const isAcceptanceCode = (code: string): code is AcceptanceCode =>
  Object.hasOwn(ACCEPTANCE_CODES, code);
