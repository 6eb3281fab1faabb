import { MAX_WAIT_MS } from "../arming/limits.js";
import type { FaultKind, Plan } from "../arming/model.js";
import { hasCommitted } from "./committed.js";
import type { Sent } from "./delivery.js";
import type { Outcome } from "./model.js";

/** A reset overtakes what the upstream's program hasn't read: it is given the time to. */
const READ_PART_MS = 50;

/** What one exchange has come to. Waits are told by their purpose: there is at most one at a time. */
export interface Exchange {
  readonly plan: Plan;
  readonly stage:
    | "receiving"
    | "delaying-request"
    | "holding"
    | "sending-part"
    | "connecting"
    | "awaiting"
    | "reading-copy"
    | "delaying-response"
    | "dropping"
    | "passing"
    | "over";
  readonly sent: Sent;
  /** Whole copies handed over. */
  readonly copies: number;
  /** Of the first copy's answer. */
  readonly status: number | null;
  readonly took: readonly FaultKind[];
  readonly clientGone: boolean;
  /** Nothing more of the request may pass. */
  readonly tooLate: boolean;
}

export type ExchangeEvent =
  /** The request is complete. */
  | { readonly type: "received" }
  | { readonly type: "woke" }
  /** The deadline of mutations has passed meanwhile. */
  | { readonly type: "too-late" }
  /** The connection for a whole copy stands. */
  | { readonly type: "connected" }
  | { readonly type: "part-sent" }
  /** The head of a copy's answer. */
  | { readonly type: "answered"; readonly status: number }
  /** An answer that was discarded has been read to its end. */
  | { readonly type: "discarded" }
  /** What was to pass has been handed to the client. */
  | { readonly type: "passed" }
  | { readonly type: "upstream-failed" }
  | { readonly type: "client-gone" };

export type ExchangeEffect =
  | { readonly type: "wait"; readonly ms: number }
  /** For one more copy. */
  | { readonly type: "connect" }
  /** Over the connection that was made last: from here it may arrive. */
  | { readonly type: "send-copy" }
  | { readonly type: "send-part"; readonly bytes: number }
  /** Reads this copy's answer to its end and throws it away. */
  | { readonly type: "discard"; readonly copy: "first" | "last" }
  /** The first copy's answer goes to the client; null: all of it. */
  | { readonly type: "pass"; readonly bytes: number | null }
  /** It is told that it came too late. */
  | { readonly type: "refuse-client" }
  | { readonly type: "reset-client" }
  | { readonly type: "close-client" }
  | { readonly type: "reset-upstream" }
  /** The last one, exactly once. */
  | { readonly type: "settle"; readonly outcome: Outcome };

export interface ExchangeStep {
  readonly state: Exchange;
  readonly effects: readonly ExchangeEffect[];
}

export const startExchange = (plan: Plan): Exchange => ({
  plan,
  stage: "receiving",
  sent: "none",
  copies: 0,
  status: null,
  took: plan.kinds.filter((kind) => kind === "pass"),
  clientGone: false,
  tooLate: false,
});

/** The rules of one exchange: what happens next between a client, its faults and the upstream. */
export const stepExchange = (state: Exchange, event: ExchangeEvent): ExchangeStep => {
  if (state.stage === "over") return stay(state);
  switch (event.type) {
    case "received":
      if (state.stage !== "receiving") return stay(state);
      return state.plan.delayRequestMs > 0
        ? wait(
            tookEffect({ ...state, stage: "delaying-request" }, "delay"),
            state.plan.delayRequestMs,
          )
        : dispatch(state);
    case "woke":
      return woke(state);
    case "too-late":
      return stay({ ...state, tooLate: true });
    case "connected":
      return connected(state);
    case "part-sent":
      return state.stage === "sending-part" ? wait(state, READ_PART_MS) : stay(state);
    case "answered":
      return answered(state, event.status);
    case "discarded":
      return discarded(state);
    case "passed":
      return state.stage === "passing"
        ? over(
            state,
            state.plan.response.kind === "truncate" ? [{ type: "close-client" }] : [],
            state.plan.response.kind === "truncate" ? "truncated" : "answered",
          )
        : stay(state);
    case "upstream-failed":
      return upstreamFailed(state);
    case "client-gone":
      return clientGone(state);
  }
};

const dispatch = (state: Exchange): ExchangeStep => {
  if (state.tooLate) return late(state);
  const { request } = state.plan;
  switch (request.kind) {
    case "reset-before":
      return over(tookEffect(state, "reset-before"), [{ type: "reset-client" }], "reset");
    case "timeout":
      return wait(tookEffect({ ...state, stage: "holding" }, "timeout"), request.ms);
    case "reset-upload":
      return {
        state: tookEffect({ ...state, stage: "sending-part", sent: "part" }, "reset-upload"),
        effects: [{ type: "send-part", bytes: request.afterBytes }],
      };
    case "deliver":
      return sendNext(state);
  }
};

const woke = (state: Exchange): ExchangeStep => {
  switch (state.stage) {
    case "delaying-request":
      return dispatch(state);
    case "delaying-response":
      return respond(state);
    case "holding":
      return over(state, [{ type: "close-client" }], "timed-out");
    case "sending-part":
      return over(state, [{ type: "reset-upstream" }, { type: "reset-client" }], "reset");
    default:
      return stay(state);
  }
};

const connected = (state: Exchange): ExchangeStep => {
  if (state.stage !== "connecting") return stay(state);
  if (state.tooLate) return late(state);
  const copies = state.copies + 1;
  const next = { ...state, stage: "awaiting", sent: "whole", copies } as const;
  const send: ExchangeEffect = { type: "send-copy" };
  if (copies > 1) return { state: tookEffect(next, "duplicate"), effects: [send] };
  const { response } = state.plan;
  return response.kind === "timeout"
    ? {
        state: tookEffect({ ...next, stage: "holding" }, "timeout"),
        effects: [send, { type: "wait", ms: response.ms }],
      }
    : { state: next, effects: [send] };
};

/** What has passed has its answer; what hasn't, doesn't any more. */
const late = (state: Exchange): ExchangeStep =>
  state.copies > 0 ? answer(state) : over(state, [{ type: "refuse-client" }], "refused-deadline");

const answered = (state: Exchange, status: number): ExchangeStep => {
  // Held, nobody looks: what isn't looked at isn't known.
  if (state.stage !== "awaiting") return stay(state);
  const first = { ...state, status: state.status ?? status };
  const { request } = state.plan;
  if (state.copies > 1)
    return {
      state: { ...first, stage: "reading-copy" },
      effects: [{ type: "discard", copy: "last" }],
    };
  return request.kind === "deliver" && request.copies > 1 ? sendNext(first) : answer(first);
};

const sendNext = (state: Exchange): ExchangeStep =>
  state.tooLate
    ? late(state)
    : { state: { ...state, stage: "connecting" }, effects: [{ type: "connect" }] };

const discarded = (state: Exchange): ExchangeStep => {
  const { request, response } = state.plan;
  if (state.stage === "reading-copy")
    return request.kind === "deliver" && state.copies < request.copies
      ? sendNext(state)
      : answer(state);
  if (state.stage !== "dropping") return stay(state);
  const dropped = tookEffect(state, "drop-response");
  if (state.clientGone) return over(dropped, [], "dropped");
  return response.kind === "drop" && response.ending === "silence"
    ? wait({ ...dropped, stage: "holding" }, MAX_WAIT_MS)
    : over(dropped, [{ type: "reset-client" }], "dropped");
};

/** All copies have been answered. */
const answer = (state: Exchange): ExchangeStep =>
  state.plan.delayResponseMs > 0
    ? wait(
        tookEffect({ ...state, stage: "delaying-response" }, "delay"),
        state.plan.delayResponseMs,
      )
    : respond(state);

const respond = (state: Exchange): ExchangeStep => {
  const { response } = state.plan;
  if (response.kind === "drop" && hasCommitted(state.status ?? 0))
    return {
      state: { ...state, stage: "dropping" },
      effects: [{ type: "discard", copy: "first" }],
    };
  if (state.clientGone) return over(state, [], "client-gone");
  const next = { ...state, stage: "passing" } as const;
  return response.kind === "truncate"
    ? {
        state: tookEffect(next, "truncate-response"),
        effects: [{ type: "pass", bytes: response.afterBytes }],
      }
    : { state: next, effects: [{ type: "pass", bytes: null }] };
};

const upstreamFailed = (state: Exchange): ExchangeStep => {
  switch (state.stage) {
    // Nobody listens to the upstream in these.
    case "receiving":
    case "delaying-request":
    case "holding":
      return stay(state);
    default:
      return over(
        state,
        [{ type: "reset-client" }],
        state.sent === "whole" ? "upstream-failed" : "upstream-unreachable",
      );
  }
};

/** What was handed over goes its way; what wasn't, stays. */
const clientGone = (state: Exchange): ExchangeStep => {
  const gone = { ...state, clientGone: true };
  switch (state.stage) {
    case "holding":
      return over(gone, [], state.took.includes("drop-response") ? "dropped" : "timed-out");
    case "receiving":
    case "delaying-request":
    case "delaying-response":
    case "passing":
      return over(gone, [], "client-gone");
    default:
      return stay(gone);
  }
};

const tookEffect = (state: Exchange, kind: FaultKind): Exchange =>
  !state.plan.kinds.includes(kind) || state.took.includes(kind)
    ? state
    : { ...state, took: [...state.took, kind] };

const wait = (state: Exchange, ms: number): ExchangeStep => ({
  state,
  effects: [{ type: "wait", ms }],
});

const stay = (state: Exchange): ExchangeStep => ({ state, effects: [] });

const over = (
  state: Exchange,
  effects: readonly ExchangeEffect[],
  outcome: Outcome,
): ExchangeStep => ({
  state: { ...state, stage: "over" },
  effects: [...effects, { type: "settle", outcome }],
});
