import type { EventType, MeasurementKind } from "./event-type.js";

type Decisions = readonly string[] | null;
type Kinds = Readonly<Record<string, MeasurementKind>>;

const host = (decisions: Decisions, measurements: Kinds, doc: string) =>
  ({
    roles: ["controller"],
    class: "HOST_OBSERVED",
    mechanism: null,
    decisions,
    measurements,
    doc,
  }) as const satisfies EventType;

const kernel = (decisions: Decisions, measurements: Kinds, doc: string) =>
  ({ ...host(decisions, measurements, doc), mechanism: "KERNEL" }) as const satisfies EventType;

/**
 * What the controller may write of a boundary. Rules, nodes, flows and holders appear by their names
 * and by digest; no address, no command and no other value of a configuration does.
 */
export const BOUNDARY_EVENT_TYPES = {
  "boundary.stage": host(
    null,
    { name: "id", count: "count" },
    "A stage of an apply begins, with so many actions.",
  ),
  "boundary.table.loaded": kernel(
    ["created", "replaced"],
    { authority: "id", digest: "digest" },
    "The kernel took an authority's tables in one transaction; when they replaced others, `previous` is their digest.",
  ),
  "boundary.readback": kernel(
    ["match", "mismatch"],
    { authority: "id", digest: "digest", differences: "count", names: "list" },
    "An authority's tables as nftables lists them, against the ruleset of this digest; `names` has the first differences, those of settings and of other tables included.",
  ),
  "boundary.meaning": kernel(
    ["equal", "differs"],
    { cells: "count", differing: "count", conflicts: "count", gaps: "count" },
    "The rules that nftables listed, evaluated over all classes of packets against what plan and policy mean.",
  ),
  "boundary.probe": kernel(
    ["passed", "failed"],
    { identity: "text", authority: "id", expectation: "id" },
    "A flow that was tried from inside its source's namespace; `reachable` or `blocked` was expected.",
  ),
  "boundary.holders": host(
    ["exact", "differs"],
    { expected: "count", found: "count", unexpected: "count", missing: "count" },
    "Who can tell the engine what to do, against whom the policy names.",
  ),
  "boundary.host-observation": host(
    ["fresh", "future", "invalid", "mismatch", "missing", "stale", "untrusted"],
    {},
    "The signed look from outside; `observation` is its id, where there is one that the trusted key signed.",
  ),
  "boundary.finding": host(
    null,
    { code: "id", about: "text" },
    "Something that keeps the gate shut: its code, and which flow, listener, holder or rule.",
  ),
  "boundary.gate": host(
    ["open", "shut"],
    { phase: "id", findings: "count" },
    "The gate's answer in this phase; `seed` chose the flows that were tried.",
  ),
  "boundary.floor": host(
    ["dropped", "failed"],
    { reason: "id" },
    "The boundary was to be dropped to the floor, where everything is denied, and was or wasn't.",
  ),
  "boundary.end": host(
    ["standing", "floor", "unknown"],
    { differences: "count", findings: "count" },
    "How the boundary was left: its rules standing, dropped to the floor, or unknown because it was interrupted.",
  ),
} as const satisfies Record<string, EventType>;
