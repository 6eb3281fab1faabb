/** Device names that Windows reserves in every directory, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/**
 * Would every usual system create exactly this path? A "\" or ":" would be a separator, drive or
 * stream on Windows, and trailing dots and spaces would vanish there.
 */
export const isPortablePath = (path: string): boolean =>
  !/[\\:]/.test(path) &&
  path.split("/").every((name) => !RESERVED.test(name.trimEnd()) && !/[. ]$/.test(name));
