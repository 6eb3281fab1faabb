import { DrydockError } from "@drydock/evidence";
import { type Chance, chanceOf, drawBetween } from "../chance/index.js";
import { MAX_WAIT_MS } from "./limits.js";
import type { Amount, Fault, FaultKind, Plan } from "./model.js";

export const PASS: Plan = {
  kinds: [],
  delayRequestMs: 0,
  request: { kind: "deliver", copies: 1 },
  delayResponseMs: 0,
  response: { kind: "pass" },
};

/**
 * What several faults come to for one request. Their order says nothing: a request is delayed, then
 * sent, held or cut; its answer is delayed, then passed, dropped or cut.
 *
 * @param seed draws every amount that is a range; the same seed, the same plan.
 * @throws DrydockError FAULTS_CONTRADICT when two of them can't both happen
 */
export const planFaults = (faults: readonly Fault[], seed: number): Plan => {
  let plan: Plan = PASS;
  let chance = chanceOf(seed, "plan");
  const seen = new Set<string>();
  const amount = (of: Amount): number => {
    const [value, next] = drawAmount(chance, of);
    chance = next;
    return value;
  };
  for (const fault of faults) {
    const place = placeOf(fault);
    if (seen.has(place)) return refuse(fault.kind, `there are two faults for the ${place}`);
    seen.add(place);
    plan = { ...withFault(plan, fault, amount), kinds: [...plan.kinds, fault.kind] };
  }
  const after = ["copies", "response", "response's delay"].find((place) => seen.has(place));
  if (seen.has("request") && after !== undefined)
    return refuse(plan.request.kind, `a request that isn't delivered has no ${after}`);
  if (plan.response.kind === "timeout" && (seen.has("copies") || seen.has("response's delay")))
    return refuse("timeout", "an answer that isn't looked at can't be delayed or counted");
  return plan;
};

/** Of what there can be one. */
const placeOf = (fault: Fault): string => {
  switch (fault.kind) {
    case "pass":
      return "whole exchange";
    case "reset-before":
    case "reset-upload":
      return "request";
    // A time-out is one of its direction's ends, as the others are.
    case "drop-response":
    case "truncate-response":
      return "response";
    case "delay":
      return `${fault.direction}'s delay`;
    case "timeout":
      return fault.direction;
    case "duplicate":
      return "copies";
  }
};

const withFault = (plan: Plan, fault: Fault, amount: (of: Amount) => number): Plan => {
  switch (fault.kind) {
    case "pass":
      return plan;
    case "reset-before":
      return { ...plan, request: { kind: "reset-before" } };
    case "reset-upload":
      return { ...plan, request: { kind: "reset-upload", afterBytes: amount(fault.afterBytes) } };
    case "drop-response":
      return { ...plan, response: { kind: "drop", ending: fault.ending ?? "reset" } };
    case "truncate-response":
      return { ...plan, response: { kind: "truncate", afterBytes: amount(fault.afterBytes) } };
    case "delay":
      return fault.direction === "request"
        ? { ...plan, delayRequestMs: amount(fault.ms) }
        : { ...plan, delayResponseMs: amount(fault.ms) };
    case "timeout": {
      const timeout = { kind: "timeout", ms: amount(fault.ms ?? MAX_WAIT_MS) } as const;
      return fault.direction === "request"
        ? { ...plan, request: timeout }
        : { ...plan, response: timeout };
    }
    case "duplicate":
      return { ...plan, request: { kind: "deliver", copies: fault.copies ?? 2 } };
  }
};

const drawAmount = (chance: Chance, amount: Amount): readonly [number, Chance] =>
  typeof amount === "number" ? [amount, chance] : drawBetween(chance, amount.min, amount.max);

const refuse = (kind: FaultKind | "deliver", why: string): never => {
  throw new DrydockError("FAULTS_CONTRADICT", `${kind} can't be combined: ${why}`, {
    fix: "Arm them one by one, or leave one out.",
  });
};
