/** What a run can end with; BLOCKED and NOT_PROVISIONED say that it could not start. */
export type Outcome =
  | "PASS"
  | "FAIL"
  | "INVALID"
  | "INCOMPLETE"
  | "UNCERTAIN"
  | "BLOCKED"
  | "NOT_PROVISIONED";

/** How the command inside the guest ended, as the guest asserted it. Signals are numbers of Linux. */
export type CommandExit =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: number };

const EXIT_USAGE = 2;
export const EXIT_RUN_DEADLINE = 124;
/** Drydock's own error, or a wrong command line, in a verb that hands a command's status through. */
export const EXIT_RUN_ERROR = 125;
const EXIT_RUN_BLOCKED = 126;

/** Exit status of every verb that ends in a verdict. */
export const verdictExitCode = (outcome: Outcome): number => {
  switch (outcome) {
    case "PASS":
      return 0;
    case "FAIL":
      return 1;
    case "INVALID":
      return 3;
    case "INCOMPLETE":
      return 4;
    case "UNCERTAIN":
      return 5;
    case "BLOCKED":
    case "NOT_PROVISIONED":
      return 6;
  }
};

/**
 * Exit status of `drydock run`: the command's own when the run completed and was contained,
 * otherwise a number that no contained run gives by accident of the verdict.
 */
export const runExitCode = (
  outcome: Outcome,
  command: CommandExit | null,
  deadlineFired: boolean,
): number => {
  switch (outcome) {
    case "PASS":
      if (command === null) return EXIT_RUN_ERROR;
      // As a shell would say it.
      return command.kind === "code" ? command.code : 128 + command.signal;
    case "FAIL":
      return 120;
    case "INVALID":
      return 121;
    case "INCOMPLETE":
      return deadlineFired ? EXIT_RUN_DEADLINE : 122;
    case "UNCERTAIN":
      return 123;
    case "BLOCKED":
    case "NOT_PROVISIONED":
      return EXIT_RUN_BLOCKED;
  }
};

/** Errors that say "could not run here", not "was wrong": another machine would have run it. */
const COULD_NOT_RUN: ReadonlySet<string> = new Set([
  "ACCELERATOR_NONE",
  "EACCES",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
  "ENOSPC",
  "EROFS",
  "GIT_MISSING",
  "HALTED",
  "HOME_FULL",
  "IMAGE_OUTDATED",
  "IMAGE_TOOL_MISSING",
  "LEDGER_DESCRIPTORS",
  "LEDGER_FULL",
  "LEDGER_HALTED",
  "LEDGER_OVER_CEILING",
  "LEDGER_UNWRITABLE",
  "LIMITS_NOT_IN_FORCE",
  "LIMIT_UNATTACHED",
  "NOT_ROOT",
  "OPEN_FILES",
  "SLOT_NONE_FREE",
  "STATE_FORBIDDEN",
  "STATE_UNWRITABLE",
  "STORE_NO_SPACE",
  "STORE_PERMISSION",
  "VMM_MISSING",
]);

export const isBlocked = (code: string): boolean => COULD_NOT_RUN.has(code);

/** Errors that say "this isn't what its signer signed". */
const NOT_AS_SIGNED: ReadonlySet<string> = new Set([
  "POLICY_DIGEST_DIFFERENT",
  "POLICY_KEY_UNTRUSTED",
  "POLICY_SIGNATURE_INVALID",
  "POLICY_UNSIGNED",
]);

/** Exit status when a verb ends with an error, by the error's code; null for a wrong command line. */
export const errorExitCode = (
  code: string | null,
  handsStatusThrough: boolean,
  exit: "command" | "verdict",
): number => {
  const blocked = code !== null && isBlocked(code);
  if (handsStatusThrough && exit === "command") return blocked ? EXIT_RUN_BLOCKED : EXIT_RUN_ERROR;
  if (code !== null && NOT_AS_SIGNED.has(code)) return verdictExitCode("INVALID");
  if (code === "INTERRUPTED") return verdictExitCode("INCOMPLETE");
  return blocked ? verdictExitCode("BLOCKED") : EXIT_USAGE;
};
