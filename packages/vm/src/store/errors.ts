import { DrydockError, type DrydockErrorOptions } from "@drydock/evidence";

export type StoreErrorCode =
  | "STORE_PERMISSION"
  | "STORE_NO_SPACE"
  | "STORE_CORRUPT"
  | "STORE_LOCKED"
  | "STORE_BOUND"
  | "STORE_NAME"
  | "STORE_IO";

export const storeError = (
  code: StoreErrorCode,
  message: string,
  options?: DrydockErrorOptions,
): DrydockError<StoreErrorCode> => new DrydockError(code, message, options);

/** Turns an operating-system failure at `path` into an error with the fix a reader can apply. */
export const storeIoError = (
  action: string,
  path: string,
  cause: unknown,
): DrydockError<StoreErrorCode> => {
  switch ((cause as NodeJS.ErrnoException).code) {
    case "ENOSPC":
    case "EDQUOT":
      return storeError("STORE_NO_SPACE", `no space left to ${action} ${path}`, {
        fix: "Free some space, run `drydock image prune`, or point DRYDOCK_HOME at a larger disk.",
        cause,
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return storeError("STORE_PERMISSION", `not allowed to ${action} ${path}`, {
        fix: "Run as root, or point DRYDOCK_HOME at a directory that you own.",
        cause,
      });
    default:
      return storeError("STORE_IO", `cannot ${action} ${path}: ${(cause as Error).message}`, {
        cause,
      });
  }
};
