import type { EventType, MeasurementKind } from "./event-type.js";
import type { WitnessClass } from "./vocabulary.js";

type Kinds = Readonly<Record<string, MeasurementKind>>;

const ROLES = ["port"] as const;

/** The broker holds a channel's host end too. */
const CHANNEL_ROLES = ["port", "egress"] as const;

const event = (
  witness: WitnessClass,
  decisions: readonly string[] | null,
  measurements: Kinds,
  doc: string,
  roles: EventType["roles"] = ROLES,
): EventType => ({
  roles,
  class: witness,
  mechanism: null,
  decisions,
  measurements,
  doc,
});

/**
 * What the port process may write. It parses guest bytes, so what it counted and decided is
 * BROKER_OBSERVED, and what the guest said stays GUEST_ASSERTED, whoever signs the log.
 */
export const PORT_EVENT_TYPES = {
  "port.begin": event(
    "BROKER_OBSERVED",
    null,
    { manifest: "digest" },
    "Record 0: binds the log to the sealed manifest.",
  ),
  "channel.open": event(
    "BROKER_OBSERVED",
    null,
    { channel: "id" },
    "A channel's socket was opened.",
    CHANNEL_ROLES,
  ),
  "channel.closed": event(
    "BROKER_OBSERVED",
    ["host", "guest", "violation"],
    { channel: "id", toGuest: "count", fromGuest: "count" },
    "A channel was closed, by whom, and the bytes that passed each way.",
    CHANNEL_ROLES,
  ),
  "channel.violation": event(
    "BROKER_OBSERVED",
    ["closed"],
    { channel: "id", rule: "id", offset: "count" },
    "A frame broke the protocol (unknown field, float, duplicate key, oversize, order, lease …); the channel was closed.",
    CHANNEL_ROLES,
  ),
  "channel.plugged": event(
    "BROKER_OBSERVED",
    null,
    { channel: "id" },
    "The guest was given the port of a channel whose host end another process holds.",
  ),
  "channel.undeclared": event(
    "BROKER_OBSERVED",
    ["refused"],
    { name: "text" },
    "The guest tried a channel that the manifest doesn't grant.",
  ),
  "exec.started": event(
    "GUEST_ASSERTED",
    null,
    { exec: "id", argv: "digest" },
    "The agent says that it started a command.",
  ),
  "exec.exit": event(
    "GUEST_ASSERTED",
    ["exited", "signalled", "failed"],
    { exec: "id", status: "count" },
    "The agent says how a command ended: exit status, signal number, or errno of a failed start.",
  ),
  "guest.bounds": event(
    "GUEST_ASSERTED",
    null,
    { pids: "count", fds: "count" },
    "Limits that the agent says it set inside the guest; no containment claim rests on them.",
  ),
  "stage.done": event(
    "GUEST_ASSERTED",
    ["verified", "failed"],
    { archive: "digest", bytes: "count" },
    "The agent says that it unpacked an archive with this digest.",
  ),
  "guest.report": event(
    "GUEST_ASSERTED",
    null,
    { digest: "digest", bytes: "count" },
    "Anything else that the guest claims about itself, by digest: a test report, a signature, a verdict of its own.",
  ),
  "console.cut": event(
    "BROKER_OBSERVED",
    null,
    { dropped: "count", kept: "count" },
    "Console output was cut to its ring.",
  ),
  "output.cut": event(
    "BROKER_OBSERVED",
    null,
    { exec: "id", stream: "id", dropped: "count", kept: "count" },
    "Output of a command was cut to its bound.",
  ),
  "artifact.accepted": event(
    "BROKER_OBSERVED",
    null,
    { path: "text", digest: "digest", bytes: "count" },
    "An artifact passed quarantine.",
  ),
  "artifact.refused": event(
    "BROKER_OBSERVED",
    null,
    { path: "text", rule: "id" },
    "An artifact was refused, by which rule.",
  ),
  "artifact.canary": event(
    "BROKER_OBSERVED",
    null,
    { path: "text", canary: "id" },
    "A planted secret was found in an artifact.",
  ),
  "canary.sighted": event(
    "BROKER_OBSERVED",
    null,
    { channel: "id", place: "id", canary: "id", encoding: "id", layer: "id" },
    "A planted value was seen on a channel, in which stream of it, and how it was encoded. The value isn't recorded. Once for each encoding and stream.",
    CHANNEL_ROLES,
  ),
  "vmm.event": event(
    "BROKER_OBSERVED",
    null,
    { name: "id" },
    "An asynchronous event of the VMM (SHUTDOWN, RESET, GUEST_PANICKED …).",
  ),
  "port.end": event(
    "BROKER_OBSERVED",
    ["clean", "failed"],
    {},
    "Terminal record of the port's log.",
  ),
} as const satisfies Record<string, EventType>;
