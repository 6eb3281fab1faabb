import { isProvenRevoked } from "./is-proven-revoked.js";

/** What ends a rehearsal: the one permission is taken away, and the API is made read-only. */
export interface ExitControl {
  /** Takes away what the lab's key may do. Done again, it changes nothing. */
  revoke(): Promise<void>;
  /** Status of a PATCH that the lab's key tries now; null when no answer came. */
  tryLabKey(): Promise<number | null>;
  /** Whether the appliance says that it is read-only. */
  isReadOnly(): Promise<boolean>;
}

export interface ExitReport {
  readonly permissionRevoked: boolean;
  readonly readOnlyConfirmed: boolean;
}

/**
 * Revokes, and looks whether it worked. Each part is tried whatever became of the others, and what
 * could not be established counts as not confirmed.
 */
export const verifyExit = async (control: ExitControl): Promise<ExitReport> => {
  await attempt(() => control.revoke(), undefined);
  return {
    permissionRevoked: isProvenRevoked(await attempt(() => control.tryLabKey(), null)),
    readOnlyConfirmed: await attempt(() => control.isReadOnly(), false),
  };
};

/** Why something failed isn't told apart: not confirmed is not confirmed. */
const attempt = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await work();
  } catch {
    return otherwise;
  }
};
