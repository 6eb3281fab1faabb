import type { Ground, Judgement } from "../model/index.js";
import type { Boundary } from "./packet.js";
import type { Place } from "./place.js";
import { judgeCrossing } from "./platform.js";
import { judgeAmong, type Service, voicesAmong } from "./scenario.js";

const NO_PATH: Judgement = { action: "deny", grounds: [{ kind: "no-path" }] };

/**
 * What a whole boundary says about new flows between two places: nothing crosses authorities. It
 * keeps what it worked out, so ask one about many flows.
 */
export const judgeOf = ({
  scenario,
  platform,
}: Boundary): ((source: Place, destination: Place, service: Service) => Judgement) => {
  const voices = voicesAmong(scenario?.rules ?? []);
  return (source, destination, service) => {
    if (source.authority !== destination.authority) return NO_PATH;
    switch (source.authority) {
      case "scenario":
        return scenario === null
          ? NO_PATH
          : judgeAmong(voices(source, destination), scenario.default, service);
      case "platform":
        return platform === null ? NO_PATH : judgeCrossing(platform, source, destination, service);
    }
  };
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
