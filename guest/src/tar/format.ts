import { AgentError } from "../agent/errors.js";

/** POSIX ustar (IEEE 1003.1-1988) with pax extended headers (1003.1-2001). */
export const BLOCK = 512;

/**
 * Names are kept as one character a byte, since a file name need not be UTF-8. `fileName` gives
 * the form that file system calls take.
 */
export type Bytes = string;

export const fileName = (bytes: Bytes): string | Buffer =>
  /^[\x01-\x7f]*$/.test(bytes) ? bytes : Buffer.from(bytes, "latin1");

export interface Entry {
  readonly path: Bytes;
  readonly kind: "file" | "directory" | "symlink";
  readonly mode: number;
  readonly size: number;
  /** Where a symbolic link points; empty for the other kinds. */
  readonly target: Bytes;
}

export const unsafe = (what: string): AgentError => new AgentError("unsafe-archive", what);

export const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;
