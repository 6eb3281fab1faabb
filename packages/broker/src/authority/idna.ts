import { domainToASCII, domainToUnicode } from "node:url";

/**
 * Whether IDNA leaves a lower-case LDH name alone, and each of its A-labels stands for exactly one
 * U-label (RFC 5891 §5.4, UTS 46). Guard: a client that shows, maps or re-encodes the name must
 * come back to the same one. Give it LDH names only: `domainToASCII` decodes percent escapes.
 *
 * Reserved labels other than `xn--` (`r3---sn` and the like) are in use and change nowhere.
 */
export const idnaKeeps = (host: string): boolean =>
  domainToASCII(host) === host && domainToASCII(domainToUnicode(host)) === host;
