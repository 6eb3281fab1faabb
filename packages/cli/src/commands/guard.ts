import {
  haltNow,
  refuseUnderHalt,
  requireHome,
  requireRoot,
  VERBS,
  type Verb,
} from "@drydock/trial";
import { RUN_VERBS } from "../verbs/name.js";
import { stateLayout } from "./context.js";

/**
 * What each verb begins with. Root is asked for first, because who can't read a halt record is told
 * that there is one.
 *
 * @throws DrydockError HOME_INVALID, HALTED, NOT_ROOT
 */
export const guardVerb = (name: string): void => {
  const verb = name as Verb;
  if (verb !== "verify") requireHome(stateLayout().state);
  if (VERBS[verb] === "static") return;
  if (RUN_VERBS.has(verb)) requireRoot("starting a virtual machine behind its walls");
  refuseUnderHalt(verb, haltNow(stateLayout()));
};
