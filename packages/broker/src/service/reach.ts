import type { Duplex } from "node:stream";
import type { IpAddress } from "../address/address.js";
import { allGlobal } from "../address/all-global.js";
import { formatIp } from "../address/ip-text.js";
import type { Reason } from "../decision/index.js";
import {
  decide,
  type EgressGrant,
  type EgressPolicy,
  type EgressProtocol,
} from "../policy/index.js";
import type { AbsoluteRequest, ConnectRequest } from "../request/index.js";
import type { AnswerSource, Resolution, Resolver } from "../resolve/index.js";
import type { Timers } from "../timers.js";
import { judgeRequest } from "./judge-request.js";
import type { Dial } from "./model.js";
import type { Slots } from "./slots.js";
import { withheldFor } from "./withheld-for.js";

export interface ReachOptions {
  readonly policy: EgressPolicy;
  readonly resolver: Resolver;
  readonly dial: Dial;
  readonly lookups: Slots;
  readonly timers: Timers;
  readonly withheld?: () => Reason | null;
}

/** What was found out on the way to an authority, for the receipt. */
export interface ReachFacts {
  readonly protocol: EgressProtocol | null;
  readonly line: number | null;
  readonly addresses: number;
  readonly addressClass: string | null;
  readonly address: string | null;
  readonly answer: AnswerSource | null;
  readonly answerAgeMs: number;
  readonly queries: number;
  readonly lookupMs: number;
  readonly connectMs: number;
}

export type Reached =
  | {
      readonly kind: "reached";
      readonly grant: EgressGrant;
      readonly upstream: Duplex;
      readonly facts: ReachFacts;
    }
  | { readonly kind: "refused"; readonly reason: Reason; readonly facts: ReachFacts };

export const NO_FACTS: ReachFacts = {
  protocol: null,
  line: null,
  addresses: 0,
  addressClass: null,
  address: null,
  answer: null,
  answerAgeMs: 0,
  queries: 0,
  lookupMs: 0,
  connectMs: 0,
};

/**
 * From a request to a connection with its authority: the policy decides, the name is looked up once,
 * every address is judged, that of a kept answer again, and the judged ones are dialled in their
 * order. Nothing is dialled or asked for what isn't granted, and nothing else is tried for what
 * fails.
 *
 * Once `signal` is aborted, its reason is the refusal's.
 */
export const reach = async (
  request: ConnectRequest | AbsoluteRequest,
  signal: AbortSignal,
  { policy, resolver, dial, lookups, timers, withheld }: ReachOptions,
): Promise<Reached> => {
  const { authority, kind: form } = request;
  const first = withheldFor(withheld);
  if (first !== null) return { kind: "refused", reason: first, facts: NO_FACTS };
  const decision = decide(policy, authority, form);
  if (decision.kind === "refused") {
    const { reason, line } = decision;
    return { kind: "refused", reason, facts: { ...NO_FACTS, line } };
  }
  const { grant } = decision;
  const known = { ...NO_FACTS, protocol: grant.protocol, line: grant.line };
  const fault = judgeRequest(request, grant);
  if (fault !== null) return { kind: "refused", reason: fault, facts: known };

  const resolution = await lookUp(authority.host, signal, resolver, lookups);
  if (resolution === null) return { kind: "refused", reason: reasonOf(signal), facts: known };
  const { source: answer, ageMs: answerAgeMs, queries, ms: lookupMs } = resolution;
  const asked = { ...known, answer, answerAgeMs, queries, lookupMs };
  if (resolution.kind === "refused") {
    return { kind: "refused", reason: resolution.reason, facts: asked };
  }
  const { addresses } = resolution;
  const judged = allGlobal(addresses);
  const counted = { ...asked, addresses: addresses.length };
  if (judged.kind === "refused") {
    const addressClass = judged.class?.kind === "special" ? judged.class.name : null;
    const reason = addresses.length === 0 ? "DNS_EMPTY" : "ADDRESS_NOT_GLOBAL";
    return { kind: "refused", reason, facts: { ...counted, addressClass } };
  }

  const global = { ...counted, addressClass: "global" };
  // Looking a name up takes seconds, in which what held may have ended.
  const meanwhile = withheldFor(withheld);
  if (meanwhile !== null) return { kind: "refused", reason: meanwhile, facts: global };
  const startedAt = timers.now();
  const dialled = await dialInOrder(addresses, authority.port, signal, dial, policy);
  const connectMs = timers.now() - startedAt;
  if (dialled.kind === "refused") {
    return { kind: "refused", reason: dialled.reason, facts: { ...global, connectMs } };
  }
  const address = formatIp(dialled.address);
  return {
    kind: "reached",
    grant,
    upstream: dialled.socket,
    facts: { ...global, connectMs, address },
  };
};

/** Null when aborted. */
const lookUp = async (
  host: string,
  signal: AbortSignal,
  resolver: Resolver,
  lookups: Slots,
): Promise<Resolution | null> => {
  let giveBack: () => void = () => undefined;
  try {
    giveBack = await lookups.take(signal);
    return await resolver.resolve(host, signal);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    giveBack();
  }
};

type DialledInOrder =
  | { readonly kind: "connected"; readonly socket: Duplex; readonly address: IpAddress }
  | { readonly kind: "refused"; readonly reason: Reason };

const dialInOrder = async (
  addresses: readonly IpAddress[],
  port: number,
  signal: AbortSignal,
  dial: Dial,
  { limits }: EgressPolicy,
): Promise<DialledInOrder> => {
  const reasons = new Set<Reason>();
  for (const address of addresses) {
    const dialled = await dial(address, port, { timeoutMs: limits.connectTimeoutMs, signal });
    if (signal.aborted) {
      if (dialled.kind === "connected") dialled.socket.destroy();
      return { kind: "refused", reason: reasonOf(signal) };
    }
    if (dialled.kind === "connected") return { ...dialled, address };
    reasons.add(dialled.reason);
  }
  const [only = "CONNECT_FAILED"] = reasons;
  if (reasons.size === 1) return { kind: "refused", reason: only };
  const reason = reasons.has("CONNECT_TIMEOUT") ? "CONNECT_TIMEOUT" : "CONNECT_FAILED";
  return { kind: "refused", reason };
};

/** Why this connection's work was given up; see `Connection`. */
const reasonOf = ({ reason }: AbortSignal): Reason =>
  reason === "HALTED" ? "HALTED" : "CLIENT_RESET";
