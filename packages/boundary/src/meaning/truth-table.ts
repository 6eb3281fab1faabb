import type { Action, Ground, PlanNode, Protocol } from "../model/index.js";
import { decidingGround, judgeOf } from "./judge.js";
import type { Boundary } from "./packet.js";
import { type Place, placesOf } from "./place.js";
import { isSymmetric, type Path, pathOf, routingOf } from "./route.js";
import { servicesBetween } from "./service.js";

/** What a probe from one place to another has to show. */
export interface TruthCell {
  readonly source: Place;
  readonly destination: Place;
  readonly protocol: Protocol;
  /** null with ICMP. */
  readonly port: number | null;
  readonly path: Path;
  readonly expected: "reachable" | "blocked";
  /** What the rules say, whether or not the containers' own routing gets there. */
  readonly action: Action;
  readonly ground: Ground;
  /** Why an allowed flow is blocked all the same. */
  readonly reason: "asymmetric-path" | null;
}

/**
 * Every pair of places that different containers hold, with TCP, UDP and ICMP, inside and outside of
 * every class of ports that a rule between the two names.
 *
 * @param nodes of the plan, whose first attachments hold their default routes
 */
export const predictTruthTable = (
  boundary: Boundary,
  nodes: readonly PlanNode[],
): readonly TruthCell[] => {
  const places = placesOf(boundary);
  const routing = routingOf(places, nodes);
  const services = servicesBetween(boundary);
  const judge = judgeOf(boundary);
  const predict = (source: Place, destination: Place): readonly TruthCell[] => {
    const path = pathOf(source, destination);
    const symmetric = isSymmetric(routing, source, destination);
    return services(source, destination).map(({ protocol, port }) => {
      const judgement = judge(source, destination, { protocol, port });
      const isAllowed = judgement.action === "allow";
      return {
        source,
        destination,
        protocol,
        port,
        path,
        expected: isAllowed && symmetric ? "reachable" : "blocked",
        action: judgement.action,
        ground: decidingGround(boundary, judgement),
        reason: isAllowed && !symmetric ? "asymmetric-path" : null,
      };
    });
  };
  return places.flatMap((source) =>
    places
      .filter(({ holder }) => holder !== source.holder)
      .flatMap((destination) => predict(source, destination)),
  );
};
