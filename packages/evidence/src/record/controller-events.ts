import type { EventType, MeasurementKind } from "./event-type.js";

type Decisions = readonly string[] | null;
type Kinds = Readonly<Record<string, MeasurementKind>>;

const ROLES = ["controller"] as const;

const host = (decisions: Decisions, measurements: Kinds, doc: string): EventType => ({
  roles: ROLES,
  class: "HOST_OBSERVED",
  mechanism: null,
  decisions,
  measurements,
  doc,
});

const kernel = (decisions: Decisions, measurements: Kinds, doc: string): EventType => ({
  ...host(decisions, measurements, doc),
  mechanism: "KERNEL",
});

const vmm = (decisions: Decisions, measurements: Kinds, doc: string): EventType => ({
  ...host(decisions, measurements, doc),
  mechanism: "VMM",
});

/** What the controller may write, in about the order in which a run writes it. */
export const CONTROLLER_EVENT_TYPES = {
  "run.begin": host(
    null,
    { manifest: "digest" },
    "Record 0: binds the log to the sealed manifest.",
  ),
  phase: host(
    ["entered", "left", "skipped", "failed"],
    { name: "id" },
    "A phase of the lifecycle (PLAN … DESTROY, KILLING) was entered, left, skipped or failed.",
  ),
  "key.delegated": host(
    null,
    { role: "id", keyId: "digest", spki: "text", classes: "list", namespaces: "list" },
    "The controller certifies the key of another role for this run. Counts only within what the controller's own trust entry may delegate.",
  ),
  "seal.source": host(
    ["sealed"],
    { kind: "id", files: "count", bytes: "count" },
    "The source was sealed; `subject` is the archive's digest, null for kind `none`.",
  ),
  "seal.canonical": kernel(
    ["absent", "recorded"],
    { stage: "id", identity: "digest" },
    "State of the canonical checkout (path identity, HEAD, index, tree, untracked, refs) as one digest; stage `before` or `after`.",
  ),
  "canonical.changed": kernel(
    null,
    { parts: "list" },
    "The canonical checkout differs from its state before the run; `parts` names what differs.",
  ),
  "journal.appended": host(
    null,
    { index: "count", size: "count", root: "digest" },
    "The run was entered in the controller's journal, before anything booted.",
  ),
  approve: host(
    ["granted", "not-required", "denied"],
    {},
    "Whether policy asks for an approval, and whether one was bound to this manifest.",
  ),
  approval: {
    ...host(["granted", "denied"], { approver: "id", expires: "text", nonce: "id" }, ""),
    class: "HUMAN_APPROVED",
    doc: "A person's signed approval of this manifest.",
  },
  reserve: host(
    ["reserved", "denied"],
    { reservation: "id", haltGeneration: "count" },
    "Durable reservation; the halt generation was read in the same transaction.",
  ),
  "halt.checked": host(
    ["clear", "halted"],
    { at: "id", generation: "count" },
    "The halt generation was read again before BOOT, a grant or a dispatch.",
  ),
  lease: host(
    ["issued", "revoked"],
    { lease: "id", generation: "count" },
    "The body lease whose generation every frame carries.",
  ),
  stage: host(["staged"], { bytes: "count" }, "Jail, disk and input channel are prepared."),
  boot: host(
    ["restored", "cold"],
    { vmmPid: "count" },
    "The VMM was started, from the golden snapshot or cold.",
  ),
  "limits.readback": kernel(
    ["match", "mismatch"],
    { limits: "object" },
    "Effective limits of the VMM's cgroup, read back after they were set and before the guest ran.",
  ),
  "attest.kernel": kernel(
    ["match", "mismatch"],
    { stage: "id", observed: "digest", differences: "list" },
    "Interfaces, namespaces, mounts, uid, limits and descriptors of the VMM process against the sealed topology; stage `start` or `end`.",
  ),
  "attest.vmm": vmm(
    ["match", "mismatch"],
    { stage: "id", observed: "digest", differences: "list" },
    "Device tree over QMP against the sealed topology; stage `start` or `end`.",
  ),
  handshake: host(
    ["answered", "failed"],
    { nonce: "digest" },
    "The agent answered this run's nonce.",
  ),
  "channel.granted": host(
    null,
    { channel: "id", lease: "id", generation: "count" },
    "A channel of the manifest was opened under a lease.",
  ),
  "channel.revoked": host(
    null,
    { channel: "id", reason: "id" },
    "A channel was closed by the host, before the guest was asked to stop.",
  ),
  "channel.bytes": host(
    ["equal", "different"],
    {
      channel: "id",
      toGuest: "count",
      fromGuest: "count",
      portToGuest: "count",
      portFromGuest: "count",
    },
    "Byte counts of a closed channel from the controller's side and from the port's.",
  ),
  countersign: host(
    null,
    { role: "id", size: "count", root: "digest", channels: "list" },
    "Another role's checkpoint as it was then, with its byte counts ({channel, toGuest, fromGuest}); at least once a second.",
  ),
  "deadline.fired": host(
    ["wall", "idle", "phase"],
    { limitMs: "count" },
    "A deadline ended the run.",
  ),
  kill: kernel(
    ["dead", "survived"],
    { reason: "id" },
    "The VMM was killed, and the kernel was asked whether it is gone.",
  ),
  "guest.lost": host(
    null,
    { reason: "id" },
    "The guest or its agent went away before the command ended (crash, power-off, silence, lies in frames).",
  ),
  "bounds.summary": host(
    ["within", "exceeded"],
    { bounds: "object" },
    "High-water mark of each bound of the manifest.",
  ),
  "bounds.exceeded": host(
    null,
    { bound: "id", limit: "count", observed: "count" },
    "A bound was passed that should have held; floods that were cut to their limit are not this.",
  ),
  "artifacts.collected": host(
    null,
    { artifacts: "digest", count: "count", bytes: "count", refused: "count" },
    "Digest of artifacts.json, and what it lists.",
  ),
  settle: host(
    ["settled", "held"],
    { reservation: "id" },
    "The reservation was settled; `held` when the effect isn't known.",
  ),
  destroy: kernel(
    ["clean", "leftovers"],
    { leftovers: "list" },
    "What the kernel still lists of the run (processes, namespaces, cgroups, mounts, files) after teardown.",
  ),
  "run.end": host(
    ["completed", "stopped"],
    { exit: "object" },
    "Terminal record. A log without it is INCOMPLETE.",
  ),
} as const satisfies Record<string, EventType>;
