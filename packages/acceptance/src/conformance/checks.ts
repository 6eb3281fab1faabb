/**
 * What holds of every adapter, whatever it changes. Each is a name that a report gives, and what
 * its author is told.
 */
export const CONFORMANCE_CHECKS = {
  DECLARES: "Name, version, capability, endpoint, method and every function of the interface.",
  INTENT_CLOSED: "An intent with a key more or less, or of another type, is refused.",
  INTENT_NFC: "An intent's text comes out in NFC, and parsing it again changes nothing.",
  IDENTITY: "Intents for one target have one identity, and the target that is read has it too.",
  FINDS_BY_IDENTITY: "The target is found by its identity when its number is another.",
  REFUSES_ABSENT: "No target is a refusal.",
  REFUSES_DUPLICATE: "Two targets are a refusal.",
  ONLY_READS: "Reading uses GET of listed paths, a few times, and nothing else of the client.",
  READS_AFRESH: "Every reading shows what the appliance has then.",
  ANSWER_CLOSED: "An answer with a key more or less, or of another type, is refused.",
  ANSWER_STATUS: "An answer that isn't 200 is refused.",
  FINGERPRINT: "It changes with every field, and doesn't with the number.",
  LOCATOR: "It is the appliance's number: an integer from 0 to 2^31 - 1.",
  ONE_REQUEST: "One request, by the declared method, to the declared endpoint.",
  REQUEST_CLOSED: "The same keys for every intent, and nothing that an intent smuggles in.",
  CHANGES_ONE_TARGET: "The request changes the target's named fields, and nothing else anywhere.",
  REFUSES_NO_OP: "An intent that changes nothing is refused.",
  RESPONSE_CLOSED: "The appliance's response is understood, and one with a key more isn't.",
  VERIFIES_EXACTLY: "Verified is the target with the intent done and nothing else changed.",
  SNAPSHOT: "A target comes back from its canonical form as it was; another's form is refused.",
  ROLLBACK: "The way back makes everything as it was.",
  VERIFIES_ROLLBACK_EXACTLY: "Rolled back is the whole snapshot and nothing less.",
  STATELESS: "A call's result depends on its arguments and on nothing that was called before.",
  LEAVES_ARGUMENTS: "Nothing that is passed in is changed.",
  ERRORS_VALUE_FREE: "Refusals are AdapterErrors, and hold nothing of what was refused.",
} as const;

export type ConformanceCheck = keyof typeof CONFORMANCE_CHECKS;

/** What holds of an adapter that is a file of its own, besides. */
export const FILE_CHECKS = {
  LOADS: "The file is a module that exports `adapter` and `specimen`.",
  REACHES_NOTHING: "It imports the toolkit alone, and uses no clock, chance, network or process.",
} as const;

export type FileCheck = keyof typeof FILE_CHECKS;

/** That a check found something. `what` is for the author: keys and places, never a value. */
export class Finding extends Error {
  override readonly name = "Finding";
}

export const found = (what: string): never => {
  throw new Finding(what);
};
