import type { Readable, Writable } from "node:stream";

/** A size in bytes, or text such as "512MiB"; a duration is text such as "90s" or "10m". */
export interface LabLimits {
  /** Virtual processors (1). */
  readonly cpus?: number;
  /** Memory of the guest ("1GiB"). */
  readonly memory?: string;
  /** Upper layer of the disk ("8GiB"). */
  readonly disk?: string;
  /** From boot to the end of collecting ("10m"). */
  readonly wall?: string;
  /** Longest silence of the guest: a duration, or "off" (the default). */
  readonly idle?: string;
  /** Kept of the console ("8MiB"). */
  readonly console?: string;
  /** Kept of stdout and stderr together ("64MiB"). */
  readonly output?: string;
  /** Files that may be collected (256). */
  readonly artifacts?: number;
  /** All collected files together ("64MiB"). */
  readonly artifactSize?: string;
  /** Names in a collected path (32). */
  readonly artifactDepth?: number;
  /** Inside the guest (128 and 512); no wall rests on these two. */
  readonly guestPids?: number;
  readonly guestFds?: number;
}

export interface LabSource {
  /** A directory, an https git URL, or a git bundle. */
  readonly from: string;
  /** Branch, tag or complete object id ("HEAD"). */
  readonly ref?: string;
  /** Seal the files as they are: the weaker claim. */
  readonly workingTree?: boolean;
}

/** What the guest may reach, and nothing else. A run that has it is eligible for no tier. */
export interface LabEgress {
  /** `host:port` for TLS, or `host:port=PROTOCOL` with `tls`, `tcp-opaque` or `http`. */
  readonly allow?: readonly string[];
  /** File of a `drydock.egress/v1` or an appliance policy, instead of `allow`. */
  readonly policy?: string;
  /** Addresses of name servers; those of this machine unless given, for a policy that names none. */
  readonly resolvers?: readonly string[];
  /** Public key, or trust file, whose signature the policy must bear; and where it is, if not beside it. */
  readonly key?: string;
  readonly trust?: string;
  readonly signature?: string;
  /**
   * `NAME=FILE@host:port`: requests to that authority, and to no other, get the file's value in the
   * place of the placeholder that the variable NAME holds.
   */
  readonly secrets?: readonly string[];
  /** PEM file of roots that upstreams are verified by besides the usual ones, where TLS ends here. */
  readonly upstreamRoots?: string;
}

export interface LabOptions {
  /** Image to run in ("base"). */
  readonly image?: string;
  /** What is sealed and staged at /work. */
  readonly source?: LabSource;
  readonly limits?: LabLimits;
  /** Without it nothing outside the guest can be reached. */
  readonly egress?: LabEgress;
  /** Variables that get a planted value each; one that is seen leaving makes the verdict FAIL. */
  readonly canaries?: readonly string[];
  /** Patterns under /work to collect when the lab closes. */
  readonly artifacts?: readonly string[];
  /** False boots cold instead of cloning the golden snapshot. */
  readonly snapshot?: boolean;
  /** One key is one run: a second lab under the same key is refused. */
  readonly idempotencyKey?: string;
  /** Ends the lab when it is aborted. */
  readonly signal?: AbortSignal;
  /** State and cache directory; DRYDOCK_HOME or the XDG directories unless given. */
  readonly home?: string;
  readonly onPhase?: (phase: string) => void;
  readonly onNote?: (note: string) => void;
}

export interface ExecOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** "/work" unless given. */
  readonly cwd?: string;
  /** "root", a uid such as "1000" (the default), or "1000:1000". */
  readonly user?: string;
  /** Fed to the command; closed at once unless given. */
  readonly stdin?: Readable | string | Uint8Array;
  /** Receive output as it comes. Without them it is kept, up to the lab's output bound. */
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  /** A terminal of this size; stdout then carries everything. */
  readonly tty?: { readonly rows: number; readonly cols: number };
  /** Sends SIGKILL to the command when aborted. */
  readonly signal?: AbortSignal;
}

/** How the command ended, as the guest asserts it. Signals are numbers of Linux. */
export type CommandExit =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: number };

export interface ExecResult {
  readonly exit: CommandExit;
  /** What was kept of the output; empty when it went to a stream. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  /** Resolves when the command has ended. */
  readonly result: Promise<ExecResult>;
  kill(signal?: string): Promise<void>;
  resize(rows: number, cols: number): Promise<void>;
}

export type Verdict = "PASS" | "FAIL" | "INVALID" | "INCOMPLETE" | "UNCERTAIN";

export interface Finding {
  readonly code: string;
  readonly message: string;
}

/** How the lab ended. */
export interface LabReport {
  readonly run: string;
  /** Directory of evidence, for `drydock verify`. */
  readonly evidence: string;
  /** Null when the lab ended before it had evidence. */
  readonly verdict: Verdict | null;
  /** What ended the run, e.g. "completed" or "deadline". */
  readonly ending: string;
  readonly deadline: boolean;
  readonly bodyStarted: boolean;
  readonly refusal: {
    readonly code: string;
    readonly message: string;
    readonly fix: string | null;
  } | null;
  readonly findings: readonly Finding[];
  /** Attempts that were refused. */
  readonly denied: number;
  readonly phases: Readonly<Record<string, number>>;
  readonly durationMs: number;
}

/** A disposable lab: a virtual machine of its own, gone when it is closed. */
export interface Lab extends AsyncDisposable {
  readonly run: string;
  readonly evidence: string;
  /** Starts a command and waits for its end. */
  exec(argv: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Starts a command. */
  start(argv: readonly string[], options?: ExecOptions): Promise<Command>;
  /** Writes one file in the guest. */
  writeFile(path: string, contents: string | Uint8Array): Promise<void>;
  /** Reads one file of the guest, whatever the guest says is in it. */
  readFile(path: string): Promise<Buffer>;
  /** Ends the lab: collects artifacts, derives the verdict, removes the machine. Idempotent. */
  close(): Promise<LabReport>;
  /** The report once the lab has ended by itself or was closed. */
  readonly closed: Promise<LabReport>;
}
