import { shape } from "@drydock/evidence";
import { policyText, secretTerms } from "./egress.js";
import { commandExit } from "./exit.js";
import { method, nothing } from "./method.js";
import { canaryNames } from "./planted.js";

const { array, base64, boolean, digest, id, integer, nullable, object, oneOf, text } = shape;

const count = integer(0);
const user = object({ uid: count, gid: count });
const size = integer(1, 0xffff);

/** As many as a machine has slots. */
const MAX_LIVE_RUNS = 1024;

/** What one run is to be; made by the launcher from what the user asked for. */
export const order = object({
  run: id,
  title: text(512),
  idempotencyKey: nullable(id),
  /** Runs that had a slot when the launcher last swept; an open run without one has no body. */
  liveRuns: array(id, MAX_LIVE_RUNS),
  command: nullable(
    object({
      argv: array(text(128 * 1024), 4096, 1),
      cwd: text(4096, 1),
      environment: object({ commitment: text(128, 1), names: array(text(256, 1), 1024) }),
      tty: boolean,
      user: text(64, 1),
    }),
  ),
  sourceDestination: text(4096, 1),
  sourceOwner: user,
  limits: object({
    cpus: count,
    memoryBytes: count,
    diskBytes: count,
    wallMs: count,
    idleMs: nullable(count),
    consoleBytes: count,
    outputBytes: count,
    artifactCount: count,
    artifactBytes: count,
    artifactDepth: count,
    networkChannels: count,
    guestPids: count,
    guestFds: count,
  }),
  artifacts: array(text(4096, 1), 256),
  artifactRoot: text(4096, 1),
  /** What the guest may reach, if anything; then descriptor 6 is the broker's line. */
  egress: nullable(
    object({
      policy: policyText,
      signature: nullable(object({ keyId: digest, digest, value: base64 })),
      secrets: secretTerms,
      upstreamRoots: nullable(digest),
    }),
  ),
  /** Names of values that are planted in the guest and watched for. */
  canaries: canaryNames,
});
export type Order = shape.Shape<typeof order>;

/** What the controller does for whoever started the run. */
export const CONTROLLER = {
  begin: method(order, nothing),
  exec: method(
    object({
      exec: id,
      argv: array(text(128 * 1024), 4096, 1),
      env: array(text(128 * 1024), 4096),
      cwd: text(4096, 1),
      user,
      tty: nullable(object({ rows: size, cols: size })),
      streams: object({ stdin: nullable(count), stdout: count, stderr: count }),
    }),
    object({ exit: commandExit }),
  ),
  put: method(
    object({ command: id, stream: count, destination: text(4096, 1), owner: user }),
    object({ files: count, bytes: count, archive: digest }),
  ),
  get: method(
    object({
      command: id,
      root: text(4096, 1),
      globs: array(text(4096, 1), 256, 1),
      stream: count,
    }),
    object({ files: count, bytes: count, truncated: boolean }),
  ),
  signal: method(object({ exec: id, signal: text(16, 1) }), nothing),
  resize: method(object({ exec: id, rows: size, cols: size }), nothing),
  finish: method(nothing, nothing),
  abort: method(object({ reason: oneOf(["INTERRUPTED", "CLOSED", "HALTED"]) }), nothing),
} as const;
