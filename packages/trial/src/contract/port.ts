import { shape } from "@drydock/evidence";
import { commandExit } from "./exit.js";
import { channelBytes, head } from "./log-head.js";
import { method, nothing } from "./method.js";
import { canaries, plantedFile } from "./planted.js";

const { array, base64, boolean, digest, id, integer, nullable, object, oneOf, text } = shape;

const count = integer(0);
const user = object({ uid: integer(0), gid: integer(0) });
const size = integer(1, 0xffff);

/** `VmmObservation`: the machine in its VMM's own words. */
const machine = object({
  devices: array(object({ path: text(1024, 1), type: text(256, 1) }), 4096),
  treeDigest: digest,
  disks: array(object({ device: text(128, 1), readOnly: boolean }), 64),
  chardevs: array(text(128, 1), 128),
  nics: array(text(256, 1), 64),
  kvm: boolean,
});

const MAX_PATH = 4096;

/** `VmEndpoints`: where the VMM's sockets are. */
const endpoints = object({
  adapter: id,
  monitor: text(MAX_PATH, 1),
  console: text(MAX_PATH, 1),
  channels: array(object({ name: id, path: text(MAX_PATH, 1) }), 64, 1),
  state: nullable(text(MAX_PATH, 1)),
});

/** Streams of one command on the link between port and launcher; null leaves one closed. */
const streams = object({ stdin: nullable(count), stdout: count, stderr: count });

/** What the port process does for the controller. It parses all that a guest says. */
export const PORT = {
  /** The public half of the key that signs the port's log. */
  introduce: method(nothing, object({ spki: base64 })),
  /** Opens the port's log, bound to the manifest. */
  begin: method(
    object({
      run: id,
      manifest: digest,
      lease: id,
      generation: integer(0),
      limits: object({
        consoleBytes: count,
        outputBytes: count,
        artifactCount: count,
        artifactBytes: count,
        artifactDepth: count,
        guestPids: count,
        guestFds: count,
      }),
      artifacts: array(text(4096, 1), 256),
      /** Watched for in everything that the guest says. */
      canaries,
    }),
    nothing,
  ),
  /** Connects to the VMM; restores the snapshot, or leaves a cold machine stopped. */
  connect: method(endpoints, nothing),
  machine: method(nothing, machine),
  grant: method(object({ channel: id }), nothing),
  /** Gives the guest the port of a channel whose host end is the broker's, or takes it away. */
  plug: method(object({ channel: id }), nothing),
  unplug: method(object({ channel: id }), nothing),
  /** Lets the guest run. */
  resume: method(nothing, nothing),
  handshake: method(
    object({ upper: nullable(text(20, 1)) }),
    object({ nonce: digest, pidsMax: count, fdsMax: count }),
  ),
  /** Puts a file of the run's own into the guest. */
  plant: method(plantedFile, nothing),
  exec: method(
    object({
      exec: id,
      argv: array(text(128 * 1024), 4096, 1),
      env: array(text(128 * 1024), 4096),
      cwd: text(4096, 1),
      user,
      tty: nullable(object({ rows: size, cols: size })),
      streams,
    }),
    object({ exit: commandExit }),
  ),
  signal: method(object({ exec: id, signal: text(16, 1) }), nothing),
  resize: method(object({ exec: id, rows: size, cols: size }), nothing),
  /** Sends a tar archive: the staged source, or what comes on a stream of the launcher's link. */
  put: method(
    object({
      from: oneOf(["source", "stream"]),
      stream: nullable(count),
      destination: text(4096, 1),
      owner: user,
    }),
    object({ files: count, bytes: count, archive: digest }),
  ),
  /** Brings files out as a tar stream on the launcher's link, unquarantined: for the SDK. */
  get: method(
    object({ root: text(4096, 1), globs: array(text(4096, 1), 256, 1), stream: count }),
    object({ files: count, bytes: count, truncated: boolean }),
  ),
  /** Collects what the manifest's globs name into quarantine. */
  collect: method(
    object({ root: text(4096, 1) }),
    object({ artifacts: digest, count, bytes: count, refused: count }),
  ),
  quiesce: method(nothing, nothing),
  revoke: method(object({ reason: id }), object({ channels: array(channelBytes, 64) })),
  /** Makes the log durable, signs its head, and says what each channel carried so far. */
  checkpoint: method(
    nothing,
    object({ head, channels: array(channelBytes, 64), lastGuestByteMs: count }),
  ),
  /** Asks the VMM to end. */
  quit: method(nothing, nothing),
  /** Closes the log for good; the process ends after it. */
  end: method(
    object({ clean: boolean }),
    object({
      head,
      channels: array(channelBytes, 64),
      outputBytes: count,
      outputDropped: count,
    }),
  ),
} as const;

/** What the port process tells the controller unasked. */
export const PORT_EVENTS = {
  guestLost: method(object({ code: id }), nothing),
  violation: method(object({ channel: id, code: id }), nothing),
} as const;
