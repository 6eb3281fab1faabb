import { DrydockError, type DrydockErrorOptions } from "@drydock/evidence";

export type VmErrorCode =
  | "SLOT_NONE_FREE"
  | "SLOT_RECORD"
  | "LAUNCH_FAILED"
  | "LIMIT_UNATTACHED"
  | "QMP_PROTOCOL"
  | "QMP_COMMAND"
  | "QMP_CLOSED"
  | "QMP_TIMEOUT"
  | "VMM_MISSING"
  | "VMM_BUNDLE"
  | "VMM_EXITED"
  | "ACCELERATOR_NONE"
  | "GOLDEN_BUILD"
  | "GOLDEN_CORRUPT"
  | "GUEST_BOOT"
  | "CHANNEL_UNKNOWN"
  | "CHANNEL_STATE"
  | "OBSERVATION";

export const vmError = (
  code: VmErrorCode,
  message: string,
  options?: DrydockErrorOptions,
): DrydockError<VmErrorCode> => new DrydockError(code, message, options);

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
