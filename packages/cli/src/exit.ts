/** What a run can end with; BLOCKED and NOT_PROVISIONED say that it could not start. */
export type Outcome =
  | "PASS"
  | "FAIL"
  | "INVALID"
  | "INCOMPLETE"
  | "UNCERTAIN"
  | "BLOCKED"
  | "NOT_PROVISIONED";

/** How the command inside the guest ended, as the guest asserted it. */
export type CommandExit =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string };

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

/** As a shell would say it: 128 + the signal's number. */
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
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
      return command.kind === "code" ? command.code : 128 + (SIGNAL_NUMBERS[command.signal] ?? 0);
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
