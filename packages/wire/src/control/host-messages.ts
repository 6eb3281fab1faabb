import { shape } from "@drydock/evidence";
import { MAX_GLOBS, MAX_LIST_LENGTH, MAX_PATH_LENGTH, MAX_STRING_LENGTH } from "../limits.js";
import {
  absolutePath,
  argument,
  channelName,
  count,
  diskSerial,
  entropy,
  instant,
  SIGNALS,
  streamId,
  userId,
} from "./vocabulary.js";

const { array, boolean, id, integer, nullable, object, oneOf, text } = shape;

const user = object({ uid: userId, gid: userId });
const rows = integer(1, 0xffff);

/** Bodies of the messages that the host sends, by type. */
export const HOST_MESSAGES = {
  /** First frame: makes this clone different from its siblings and mounts its disks. */
  hello: object({
    nonce: id,
    entropy,
    timeNs: instant,
    limits: object({ pids: integer(8, 1_000_000), fds: integer(16, 1_000_000) }),
    /** Serial of the writable disk; null for an upper layer in memory. */
    mounts: object({ upper: nullable(diskSerial) }),
  }),
  /** A channel was granted; its port appears in a moment. */
  channel: object({ name: channelName }),
  exec: object({
    exec: id,
    argv: array(argument, MAX_LIST_LENGTH, 1),
    env: array(argument, MAX_LIST_LENGTH),
    cwd: absolutePath,
    user,
    tty: nullable(object({ rows, cols: rows })),
    /** Streams that the host has opened on the bulk channel. With a terminal stderr stays empty. */
    stdin: streamId,
    stdout: streamId,
    stderr: streamId,
    /** Whether what the command started and left behind is killed when the command ends. */
    killLeftovers: boolean,
  }),
  signal: object({ exec: id, signal: oneOf(SIGNALS), target: oneOf(["process", "group", "all"]) }),
  resize: object({ exec: id, rows, cols: rows }),
  /**
   * A file that belongs to the run, readable by all and written by none. What stands at `besides` in
   * the image follows `contents`, when there is such a file.
   */
  plant: object({
    path: absolutePath,
    contents: text(MAX_STRING_LENGTH),
    besides: nullable(absolutePath),
  }),
  /** A tar stream follows on `stream` and is unpacked in `destination`, which is made. */
  put: object({ stream: streamId, destination: absolutePath, owner: user }),
  /** A tar stream of what matches comes back on `stream`. */
  collect: object({
    stream: streamId,
    root: absolutePath,
    globs: array(text(MAX_PATH_LENGTH, 1), MAX_GLOBS, 1),
    limits: object({
      files: integer(0, 1_000_000),
      bytes: count,
      depth: integer(1, 1024),
      pathBytes: integer(1, MAX_PATH_LENGTH),
    }),
  }),
  ping: object({ nonce: id }),
  shutdown: object({}),
} as const;

export type HostMessages = typeof HOST_MESSAGES;
export type HostMessage = {
  [T in keyof HostMessages]: { readonly type: T } & shape.Shape<HostMessages[T]>;
}[keyof HostMessages];
