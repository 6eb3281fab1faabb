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

/** RFC 9110 §15.5.2 and §15.5.4: who it is isn't known any more, or it isn't allowed any more. */
const REFUSALS: readonly (number | null)[] = [401, 403];

/**
 * Guard: a permission is gone when the appliance refuses it, not when somebody says that it was
 * taken away. 405 proves nothing: a read-only appliance says so to a key that still may.
 */
export const isProvenRevoked = (status: number | null): boolean => REFUSALS.includes(status);

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
