import type { Ground, Judgement } from "../model/index.js";
import type { Boundary } from "./packet.js";
import type { Place } from "./place.js";
import { judgeCrossing } from "./platform.js";
import { judgeScenario, type Service } from "./scenario.js";

const NO_PATH: Judgement = { action: "deny", grounds: [{ kind: "no-path" }] };

/** What a whole boundary says about a new flow between two places: nothing crosses authorities. */
export const judge = (
  { scenario, platform }: Boundary,
  source: Place,
  destination: Place,
  { protocol, port }: Service,
): Judgement => {
  if (source.authority !== destination.authority) return NO_PATH;
  switch (source.authority) {
    case "scenario":
      return scenario === null
        ? NO_PATH
        : judgeScenario(scenario, { source, destination, protocol, port });
    case "platform":
      return platform === null
        ? NO_PATH
        : judgeCrossing(platform, source, destination, { protocol, port });
  }
};

/** Which ground decides: the first denial, or what allowed. */
export const decidingGround = (boundary: Boundary, { action, grounds }: Judgement): Ground =>
  grounds.find((ground) => saysOf(boundary, ground) === action) ?? { kind: "no-path" };

/** What one ground says by itself. */
export const saysOf = ({ scenario }: Boundary, ground: Ground): Judgement["action"] => {
  switch (ground.kind) {
    case "rule":
      return ground.rule.action;
    case "list-end":
      return scenario?.default ?? "deny";
    case "default":
      return ground.authority === "scenario" ? (scenario?.default ?? "deny") : "deny";
    case "crossing":
    case "arp":
    case "egress":
    case "resolver":
    case "publication":
      return "allow";
    case "no-path":
    case "binding":
    case "delivery":
    case "family":
    case "special-range":
      return "deny";
    case "state":
      return ground.state === "invalid" ? "deny" : "allow";
  }
};
