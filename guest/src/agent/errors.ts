import type { AgentErrorCode } from "@drydock/wire";

/** A request that could not be met; its code and message go to the host. */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, what: string, cause?: unknown) {
    const reason = cause instanceof Error ? `${what}: ${cause.message}` : what;
    super(reason, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
