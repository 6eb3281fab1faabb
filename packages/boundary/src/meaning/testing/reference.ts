import type { Action, BoundPlatform, BoundScenario, Flow } from "../../model/index.js";

/**
 * The semantics once more, as one loop after the other and from the words of docs/boundary.md alone:
 * a mistake in the meaning isn't likely to be made here as well.
 */
export const referenceScenario = (bound: BoundScenario, flow: Flow): Action => {
  let somebodySpoke = false;
  for (const owner of new Set(bound.rules.map((rule) => rule.owner))) {
    for (const side of ["in", "out"]) {
      const end = side === "in" ? flow.destination : flow.source;
      if (end.holder !== owner && end.network !== owner) continue;
      let ruled = false;
      let word: Action | null = null;
      for (let order = 0; order < bound.rules.length; order++) {
        const rule = bound.rules.find((each) => each.owner === owner && each.order === order);
        if (rule === undefined) break;
        if (rule.direction !== side && rule.direction !== "inout") continue;
        ruled = true;
        if (word !== null) continue;
        if (rule.from !== null && rule.from !== flow.source.network) continue;
        if (rule.to !== null && rule.to !== flow.destination.network) continue;
        if (rule.protocol !== "any" && rule.protocol !== flow.protocol) continue;
        if (rule.ports.length > 0 && !rule.ports.some((port) => port === flow.port)) continue;
        word = rule.action;
      }
      if (!ruled) continue;
      somebodySpoke = true;
      if ((word ?? bound.default) === "deny") return "deny";
    }
  }
  return somebodySpoke ? "allow" : bound.default;
};

export const referencePlatform = (bound: BoundPlatform, flow: Flow): Action => {
  for (const crossing of bound.crossings) {
    const named = (zone: string, end: Flow["source"]) =>
      end.holder === `platform.anchor.${zone}` && end.network === crossing.network;
    if (!named(crossing.source, flow.source)) continue;
    if (!named(crossing.destination, flow.destination)) continue;
    if (crossing.protocol === flow.protocol && crossing.ports.some((port) => port === flow.port)) {
      return "allow";
    }
  }
  return "deny";
};
