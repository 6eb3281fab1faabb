import {
  type Action,
  type Authority,
  formatIpv4,
  type Ground,
  type Ipv4,
  type Judgement,
  type PlanNode,
} from "../model/index.js";
import { describeGround, type Files } from "./describe.js";
import { decidingGround, judgeOf, saysOf } from "./judge.js";
import type { Boundary } from "./packet.js";
import { describePlace, type Place, placesOf } from "./place.js";
import { judgeDeparture } from "./platform.js";
import { isSymmetric, type Path, pathOf, routingOf } from "./route.js";
import type { Service } from "./scenario.js";

/** A place inside of the boundary, or an address outside of it. */
export type End = Place | { readonly outside: Ipv4 };

/** Which rule of which authority decides about a new flow, and why. */
export interface Explanation {
  readonly source: Place;
  readonly destination: End;
  readonly service: Service;
  readonly path: Path;
  readonly action: Action;
  readonly authority: Authority;
  readonly deciding: Ground;
  /** Everybody who has a word, in order. */
  readonly words: readonly { readonly ground: Ground; readonly says: Action }[];
  /** The rules allow it, and the containers' own routing doesn't get there and back. */
  readonly asymmetric: boolean;
}

/** @param nodes of the plan, whose first attachments hold their default routes */
export const explain = (
  boundary: Boundary,
  nodes: readonly PlanNode[],
  source: Place,
  destination: End,
  service: Service,
): Explanation => {
  const judgement =
    "outside" in destination
      ? judgeOutside(boundary, source, destination.outside, service)
      : judgeOf(boundary)(source, destination, service);
  const symmetric =
    "outside" in destination ||
    isSymmetric(routingOf(placesOf(boundary), nodes), source, destination);
  return {
    source,
    destination,
    service,
    path: "outside" in destination ? "routed" : pathOf(source, destination),
    action: judgement.action,
    authority: source.authority,
    deciding: decidingGround(boundary, judgement),
    words: judgement.grounds.map((ground) => ({ ground, says: saysOf(boundary, ground) })),
    asymmetric: judgement.action === "allow" && !symmetric,
  };
};

const judgeOutside = (
  { platform }: Boundary,
  source: Place,
  destination: Ipv4,
  service: Service,
): Judgement => {
  const { egress, networks } = platform ?? {};
  const isEgress =
    source.authority === "platform" &&
    source.network === networks?.egress.address &&
    source.ipv4 === egress?.ipv4;
  return isEgress
    ? judgeDeparture(egress, destination, service)
    : { action: "deny", grounds: [{ kind: "no-path" }] };
};

/** For a person: the answer, then everybody's word, the deciding one marked. */
export const printExplanation = (explanation: Explanation, files: Files): string => {
  const { source, destination, service, path, action, authority, deciding, words } = explanation;
  const to =
    "outside" in destination ? formatIpv4(destination.outside) : describePlace(destination);
  const what = service.port === null ? service.protocol : `${service.protocol}/${service.port}`;
  return [
    `${action}: ${what} from ${describePlace(source)} to ${to}, ${path}; the ${authority} decides`,
    ...words.map(
      ({ ground, says }) =>
        `${ground === deciding ? "→" : " "} ${says}: ${describeGround(ground, files)}`,
    ),
    ...(explanation.asymmetric
      ? ["! blocked all the same: the flow and its replies would take different ways"]
      : []),
    "",
  ].join("\n");
};
