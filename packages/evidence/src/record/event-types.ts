import { BOUNDARY_EVENT_TYPES } from "./boundary-events.js";
import { CONTROLLER_EVENT_TYPES } from "./controller-events.js";
import { EGRESS_EVENT_TYPES } from "./egress-events.js";
import type { EventType } from "./event-type.js";
import { LAB_EVENT_TYPES } from "./lab-events.js";
import { PORT_EVENT_TYPES } from "./port-events.js";

/** Logs of processes that later rooms bring. */
const COMMON_EVENT_TYPES = {
  "log.begin": {
    roles: ["egress", "gateway", "supervisor", "observer"],
    class: "HOST_OBSERVED",
    mechanism: null,
    decisions: null,
    measurements: { manifest: "digest" },
    doc: "Record 0 of a log that is neither the controller's nor the port's.",
  },
  "log.end": {
    roles: ["egress", "gateway", "supervisor", "observer"],
    class: "HOST_OBSERVED",
    mechanism: null,
    decisions: ["clean", "failed"],
    measurements: {},
    doc: "Terminal record of such a log.",
  },
} as const satisfies Record<string, EventType>;

export const EVENT_TYPES = {
  ...CONTROLLER_EVENT_TYPES,
  ...PORT_EVENT_TYPES,
  ...EGRESS_EVENT_TYPES,
  ...BOUNDARY_EVENT_TYPES,
  ...LAB_EVENT_TYPES,
  ...COMMON_EVENT_TYPES,
} as const satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof EVENT_TYPES;

/** Every type that a log may hold. A type that isn't here makes the run INVALID. */
export const eventTypes: ReadonlyMap<string, EventType> = new Map(Object.entries(EVENT_TYPES));
