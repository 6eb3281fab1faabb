import { DrydockError, type DrydockErrorOptions } from "@drydock/evidence";

/** Why a source could not be sealed. Every code is raised with a path or a ref, and with a fix. */
export type SealErrorCode =
  | "SOURCE_ARGUMENT"
  | "SOURCE_NOT_FOUND"
  | "SOURCE_UNREADABLE"
  | "SOURCE_PROTOCOL"
  | "SOURCE_CREDENTIALS"
  | "SOURCE_CHANGED"
  | "SOURCE_CORRUPT"
  | "SOURCE_PARTIAL"
  | "SOURCE_ALTERNATES"
  | "SOURCE_LIMIT"
  | "NOT_A_REPOSITORY"
  | "REPOSITORY_REDIRECTED"
  | "REPOSITORY_AMBIGUOUS"
  | "REPOSITORY_FORMAT"
  | "WRONG_PARENT_REPOSITORY"
  | "NOTHING_COMMITTED"
  | "REF_ARGUMENT"
  | "REF_NOT_FOUND"
  | "REF_AMBIGUOUS"
  | "REF_NOT_A_COMMIT"
  | "REMOTE_FAILED"
  | "BUNDLE_BAD"
  | "BUNDLE_INCOMPLETE"
  | "SUBMODULE_UNSUPPORTED"
  | "SUBMODULE_UNPINNED"
  | "LFS_POINTER"
  | "PATH_REFUSED"
  | "SYMLINK_REFUSED"
  | "FILE_TYPE_REFUSED"
  | "SETUID_REFUSED"
  | "GIT_MISSING"
  | "GIT_FAILED"
  | "GIT_DEADLINE"
  | "GIT_OUTPUT";

export const sealError = (
  code: SealErrorCode,
  message: string,
  options: DrydockErrorOptions = {},
): DrydockError<SealErrorCode> => new DrydockError(code, message, options);
