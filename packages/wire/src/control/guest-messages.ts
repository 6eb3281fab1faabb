import { shape } from "@drydock/evidence";
import {
  absolutePath,
  channelName,
  count,
  instant,
  message,
  sequence,
  streamId,
} from "./vocabulary.js";

const { boolean, id, integer, literal, nullable, object, oneOf, pattern, variants } = shape;

const shortText = pattern(/^[\x20-\x7e]{0,256}$/, "at most 256 characters of printable ASCII");

/** Reasons why the agent could not do what a frame asked. */
export const AGENT_ERRORS = [
  "setup-failed",
  "unknown-exec",
  "exec-exists",
  "stream-failed",
  "spawn-failed",
  "unsafe-archive",
  "put-failed",
  "plant-failed",
  "collect-failed",
  "bad-glob",
  "too-many",
] as const;
export type AgentErrorCode = (typeof AGENT_ERRORS)[number];

/** Bodies of the messages that the guest sends, by type. All of them are GUEST_ASSERTED. */
export const GUEST_MESSAGES = {
  ready: object({
    nonce: id,
    agent: shortText,
    facts: object({
      kernel: shortText,
      node: shortText,
      timeNs: instant,
      uptimeMs: count,
      pidsMax: count,
      fdsMax: count,
    }),
  }),
  channelOpen: object({ name: channelName }),
  planted: object({ path: absolutePath }),
  execStarted: object({ exec: id, pid: integer(1, 0x7fff_ffff) }),
  execExit: object({
    exec: id,
    status: variants({
      exit: object({ kind: literal("exit"), code: integer(0, 255) }),
      signal: object({ kind: literal("signal"), signal: integer(1, 64) }),
    }),
  }),
  putDone: object({ stream: streamId, files: count, bytes: count }),
  collectDone: object({
    stream: streamId,
    files: count,
    bytes: count,
    /** Matches left out: sockets, devices, and what a limit cut off. */
    skipped: count,
    truncated: boolean,
  }),
  pong: object({ nonce: id }),
  /** `ref` is the sequence number of the host's frame that failed. */
  error: object({ ref: nullable(sequence), code: oneOf(AGENT_ERRORS), message }),
} as const;

export type GuestMessages = typeof GUEST_MESSAGES;
export type GuestMessage = {
  [T in keyof GuestMessages]: { readonly type: T } & shape.Shape<GuestMessages[T]>;
}[keyof GuestMessages];
