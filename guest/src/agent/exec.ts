import { pipeline } from "node:stream";
import type { BulkStream } from "@drydock/wire";
import type { Running } from "./platform.js";

/** Joins a command's descriptors to its three streams, each of which has one direction only. */
export const connectStreams = (
  running: Running,
  [stdin, stdout, stderr]: readonly [BulkStream, BulkStream, BulkStream],
): void => {
  stdin.end();
  // A command that closes its input resets the stream, and the host stops sending.
  pipeline(stdin, running.stdin, settled);
  for (const [from, to] of [
    [running.stdout, stdout],
    [running.stderr, stderr],
  ] as const) {
    to.resume();
    // A host that resets the stream closes the pipe: the command gets SIGPIPE, as in a shell.
    pipeline(from, to, settled);
  }
};

/** Both ends know of a broken pipe already: one from the reset, the other from its descriptor. */
const settled = (): void => undefined;
