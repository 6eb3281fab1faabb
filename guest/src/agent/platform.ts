import type { Readable, Writable } from "node:stream";
import type { BytePipe, HostMessage, Signal } from "@drydock/wire";

export type Hello = Extract<HostMessage, { type: "hello" }>;
export type Exec = Extract<HostMessage, { type: "exec" }>;
export type Plant = Extract<HostMessage, { type: "plant" }>;
export type Put = Extract<HostMessage, { type: "put" }>;
export type Collect = Extract<HostMessage, { type: "collect" }>;

export type ExitStatus =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: number };

/** A command that runs. */
export interface Running {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<ExitStatus>;
  signal(signal: Signal, target: "process" | "group" | "all"): void;
  resize(rows: number, columns: number): void;
}

export interface Facts {
  readonly kernel: string;
  readonly node: string;
  readonly timeNs: string;
  readonly uptimeMs: number;
  readonly pidsMax: number;
  readonly fdsMax: number;
}

/** What the agent needs of the machine it runs on. Tests give it another one. */
export interface Platform {
  /** The port's bytes; the port may appear later. */
  openPort(name: string): Promise<BytePipe>;
  /** Reseeds, sets the clock, mounts the upper layer, limits the commands. */
  setUp(hello: Hello): Promise<Facts>;
  spawn(exec: Exec): Promise<Running>;
  /** Where the agent sees the root of the commands. */
  readonly root: string;
  /** ns since 1970; meaningless before setUp */
  nowNs(): bigint;
  /** One line on the console. */
  announce(line: string): void;
}
