import type { HexDigest } from "../contract/index.js";

/**
 * Whether what an adapter read is what it was asked for: one that finds targets by their number
 * brings another one sooner or later.
 */
export const isAskedFor = (read: HexDigest, asked: HexDigest): boolean => read === asked;
