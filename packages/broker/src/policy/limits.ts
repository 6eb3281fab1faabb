import type { EgressLimits } from "./model.js";

const KIB = 1024;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export interface LimitRange {
  /** What holds in an unsigned policy that doesn't say. */
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly doc: string;
}

/** The bounds of a broker: what a policy may set each to, and why not more or less. */
export const LIMIT_RANGES = {
  /** Two descriptors a tunnel: the maximum stays below a hard limit of 20,000 open files. */
  maxConnections: { default: 64, min: 1, max: 8_192, doc: "Connections at once." },
  /** RFC 9112 §3 wants request lines of 8,000 bytes to work; nobody needs more than 64 KiB. */
  maxHeaderBytes: { default: 16 * KIB, min: KIB, max: 64 * KIB, doc: "Bytes of a request head." },
  /** An emulated guest takes seconds where a real one takes milliseconds. */
  headerTimeoutMs: {
    default: 10 * SECOND,
    min: 100,
    max: MINUTE,
    doc: "From accept to a complete request head.",
  },
  /** resolv.conf(5) gives each question five seconds. */
  dnsTimeoutMs: {
    default: 5 * SECOND,
    min: 100,
    max: MINUTE,
    doc: "For the whole look-up of a name.",
  },
  /**
   * Half a minute saves nearly every look-up of a busy client. Services that move say so with TTLs
   * of a minute or less, so nobody is led to where a service was for longer than they expect.
   */
  maxAnswerAgeMs: {
    default: 30 * SECOND,
    min: 0,
    max: 30 * SECOND,
    doc: "Of an answer that is used again, if its TTL isn't less. 0: never.",
  },
  /** Linux itself gives up on a SYN after about 127 seconds (tcp_syn_retries, tcp(7)). */
  connectTimeoutMs: { default: 10 * SECOND, min: 100, max: 2 * MINUTE, doc: "For each address." },
  helloTimeoutMs: {
    default: 10 * SECOND,
    min: 100,
    max: MINUTE,
    doc: "From the 200 to a complete ClientHello.",
  },
  /** Long polls answer within a minute or so; a tunnel that nobody uses still holds two descriptors. */
  idleTimeoutMs: {
    default: 2 * MINUTE,
    min: SECOND,
    max: HOUR,
    doc: "Without a byte in either direction.",
  },
  /** No run lasts longer than a day. */
  lifetimeMs: { default: HOUR, min: SECOND, max: 24 * HOUR, doc: "Of a tunnel." },
  /** Up is the way out for what was stolen, and downloads are larger than uploads. */
  maxBytesUp: {
    default: 256 * MIB,
    min: 1,
    max: 1024 * GIB,
    doc: "Of a tunnel, to the upstream.",
  },
  maxBytesDown: {
    default: 4 * GIB,
    min: 1,
    max: 1024 * GIB,
    doc: "Of a tunnel, from the upstream.",
  },
} as const satisfies Readonly<Record<keyof EgressLimits, LimitRange>>;

export const LIMIT_NAMES = Object.keys(LIMIT_RANGES) as readonly (keyof EgressLimits)[];
