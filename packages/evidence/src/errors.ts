export interface DrydockErrorOptions {
  /** What the reader can do about it, as one imperative sentence. */
  readonly fix?: string;
  readonly cause?: unknown;
}

/**
 * An error that a user may see. `code` is stable and machine-readable; `message` says what went
 * wrong and where; `fix` says what to do. Text from a guest never enters `message` unescaped.
 */
export class DrydockError<Code extends string = string> extends Error {
  override readonly name = "DrydockError";
  readonly code: Code;
  readonly fix: string | undefined;

  constructor(code: Code, message: string, options: DrydockErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
  }
}

/** By name: a program made of several bundles holds the class more than once. */
export const isDrydockError = (error: unknown): error is DrydockError =>
  error instanceof Error && error.name === "DrydockError";
