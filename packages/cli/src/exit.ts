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

export const EXIT_USAGE = 2;
export const EXIT_RUN_DEADLINE = 124;
/** Drydock's own error, or a wrong command line, in a verb that hands a command's status through. */
export const EXIT_RUN_ERROR = 125;
export const EXIT_RUN_BLOCKED = 126;

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
