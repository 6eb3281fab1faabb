import type { EventType, MeasurementKind } from "./event-type.js";

type Kinds = Readonly<Record<string, MeasurementKind>>;

const event = (decisions: readonly string[] | null, measurements: Kinds, doc: string) =>
  ({
    roles: ["egress"],
    class: "BROKER_OBSERVED",
    mechanism: null,
    decisions,
    measurements,
    doc,
  }) as const satisfies EventType;

/**
 * What an egress broker may write. An authority is canonical or empty: what couldn't be read as one
 * isn't repeated. Of a refusal no address is recorded, of a tunnel nothing that passed through it.
 */
export const EGRESS_EVENT_TYPES = {
  "egress.decision": event(
    ["granted", "refused"],
    {
      connection: "count",
      form: "id",
      authority: "text",
      protocol: "id",
      reason: "id",
      line: "count",
      addresses: "count",
      addressClass: "text",
      address: "text",
      answer: "id",
      answerAgeMs: "count",
      queries: "count",
      lookupMs: "count",
      connectMs: "count",
    },
    "One request for an authority, its reason (`GRANTED`, or why not) and the policy's line; how many addresses the name has, their class, and the one that was dialled, of a refusal none. The answer is `asked` for this decision, `shared` with one made at the same time, `kept` from an earlier one (then with its age), or `none`.",
  ),
  "egress.closed": event(
    ["closed", "cut"],
    {
      connection: "count",
      authority: "text",
      protocol: "id",
      reason: "id",
      serverName: "id",
      up: "count",
      down: "count",
      durationMs: "count",
      limits: "list",
    },
    "A granted tunnel or exchange is over: whether the ClientHello named the authority (`equal`, `refused`, `unread`, `not-asked`), the bytes each way, and the limits that were reached.",
  ),
  "egress.request": event(
    ["admitted", "refused"],
    { connection: "count", authority: "text", reason: "id" },
    "One request inside a tunnel whose TLS the broker terminates. Neither path, field nor value is recorded.",
  ),
  "egress.shed": event(
    ["refused"],
    { count: "count", live: "count" },
    "Connections refused unread since the last such record, for want of room; at most one record a second.",
  ),
} as const satisfies Record<string, EventType>;
