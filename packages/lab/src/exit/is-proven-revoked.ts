/** RFC 9110 §15.5.2 and §15.5.4: who it is isn't known any more, or it isn't allowed any more. */
const REFUSALS: readonly (number | null)[] = [401, 403];

/**
 * Guard: a permission is gone when the appliance refuses it, not when somebody says that it was
 * taken away. 405 proves nothing: a read-only appliance says so to a key that still may.
 */
export const isProvenRevoked = (status: number | null): boolean => REFUSALS.includes(status);
