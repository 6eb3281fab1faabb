import type { Readable, Writable } from "node:stream";
import type { GitNetwork } from "./environment.js";

/** One git process, described by what it may see; where those things are mounted is the runner's. */
export interface GitCall {
  /** The subcommand and its arguments. */
  readonly args: readonly string[];
  /** Host path of the bare vault: the only place that git may write to. */
  readonly vault: string;
  readonly network: GitNetwork;
  /** Host path of another object store, readable for this call only. */
  readonly objects?: string;
  /** Host path of a work tree to compare the vault's copied index with; read-only. */
  readonly workTree?: string;
  readonly deadlineMs: number;
  /** Bytes that the process may print on stdout before it is stopped. */
  readonly outputBytes: number;
}

export type GitExit =
  | { readonly kind: "exited"; readonly code: number; readonly stderr: string }
  | { readonly kind: "signalled"; readonly signal: string; readonly stderr: string }
  | { readonly kind: "deadline"; readonly stderr: string }
  | { readonly kind: "flooded"; readonly stderr: string }
  | { readonly kind: "not-started"; readonly reason: string };

export interface GitProcess {
  /** Never raises: when the process is gone, `exit` tells why. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles once the process and all of its children are gone. Never rejects. */
  readonly exit: Promise<GitExit>;
  /** Ends the process now, with all of its children. */
  stop(): void;
}

export type GitRunner = (call: GitCall) => GitProcess;
