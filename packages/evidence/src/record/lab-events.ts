import type { EventType, MeasurementKind } from "./event-type.js";

type Kinds = Readonly<Record<string, MeasurementKind>>;

const host = (decisions: readonly string[] | null, measurements: Kinds, doc: string) =>
  ({
    roles: ["controller"],
    class: "HOST_OBSERVED",
    mechanism: null,
    decisions,
    measurements,
    doc,
  }) as const satisfies EventType;

/**
 * What may be written of a rehearsal: methods, templates of paths, statuses, times, states and
 * digests. No value of the appliance, no body and no credential.
 */
export const LAB_EVENT_TYPES = {
  "lab.target": host(
    ["stand-in"],
    { digest: "digest", planned: "count" },
    "What is rehearsed on, the digest of its snapshot, and how many scenarios are to be played.",
  ),
  "lab.exchange": host(
    null,
    {
      ...{ scenario: "id", phase: "id", method: "id", path: "text", outcome: "id" },
      ...{ delivered: "id", copies: "count" },
    },
    "One request as the fault proxy saw it: `path` is a template; `status` where there was an answer; `took` has the faults that had an effect.",
  ),
  "lab.transition": host(
    null,
    { scenario: "id", contract: "id", event: "id", to: "id", version: "count", intent: "digest" },
    "One step of a contract, as its store has it; `from` is the state before it, where there was one.",
  ),
  "lab.configuration": host(
    null,
    { scenario: "id", when: "id", digest: "digest" },
    "The digest of the appliance's whole configuration; `when` is `start` or `end`.",
  ),
  "lab.history": host(
    null,
    { scenario: "id", before: "id", digest: "digest" },
    "The digest of the newest revision in the appliance's own history, as it was captured before something was sent; `before` is `execute` or `rollback`.",
  ),
  "lab.scenario": host(
    ["passed", "failed"],
    { name: "id", variant: "text", state: "id", failures: "list", durationMs: "count" },
    "A scenario was played, and all of its oracle held, or what didn't; `variant` is empty where there is one case, and `state` UNKNOWN where an error kept it.",
  ),
  "lab.scan": host(
    ["clean", "found", "failed"],
    { files: "count", bytes: "count", values: "count", found: "list" },
    "Every file written so far was searched for every value that nothing may keep; `found` names files and values, not what they are.",
  ),
  "lab.exit": host(
    ["confirmed", "unconfirmed"],
    { permissionRevoked: "boolean", readOnlyConfirmed: "boolean", destroyed: "boolean" },
    "Whether the appliance itself refused the lab's key and said that it is read-only, and keys and stores were destroyed. Without the supervisor's word it is unconfirmed.",
  ),
} as const satisfies Record<string, EventType>;
