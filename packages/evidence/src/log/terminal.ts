import type { EventTypeName } from "../record/event-types.js";
import type { Role } from "../record/vocabulary.js";

interface Ends {
  readonly begin: EventTypeName;
  readonly end: EventTypeName;
}

const OTHER: Ends = { begin: "log.begin", end: "log.end" };

/** First and last event of each role's log. */
export const LOG_ENDS: Readonly<Record<Role, Ends>> = {
  controller: { begin: "run.begin", end: "run.end" },
  port: { begin: "port.begin", end: "port.end" },
  egress: OTHER,
  gateway: OTHER,
  supervisor: OTHER,
  observer: OTHER,
};
