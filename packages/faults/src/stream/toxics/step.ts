import { type Chance, drawBetween } from "../../chance/index.js";
import type { Effect, Output, Scheduled, ToxicEvent, ToxicState, ToxicStep } from "./model.js";
import { cutsOf } from "./slice.js";

/** A slow sender sends this often, however much that is. */
const BANDWIDTH_PART_MS = 100;

export const startToxic = (chance: Chance): ToxicState => ({
  chance,
  busyUntil: Number.NEGATIVE_INFINITY,
  passed: 0,
  over: false,
});

/** What one toxic makes of what comes, as Toxiproxy 2 documents it. */
export const stepToxic = (effect: Effect, state: ToxicState, event: ToxicEvent): ToxicStep => {
  if (state.over) return { state, scheduled: [] };
  switch (event.type) {
    case "start":
      return start(effect, state, event.at);
    case "data":
      return data(effect, state, event.at, event.bytes);
    case "end":
      return end(effect, state, event.at, { kind: event.how });
  }
};

const start = (effect: Effect, state: ToxicState, at: number): ToxicStep =>
  effect.type === "timeout" && effect.attributes.timeout > 0
    ? { state, scheduled: [{ at: at + effect.attributes.timeout, output: { kind: "close" } }] }
    : { state, scheduled: [] };

const data = (effect: Effect, state: ToxicState, at: number, bytes: Uint8Array): ToxicStep => {
  switch (effect.type) {
    case "latency": {
      const { latency, jitter } = effect.attributes;
      const [offset, chance] = drawBetween(state.chance, -jitter, Math.max(jitter - 1, -jitter));
      return send({ ...state, chance }, at + Math.max(0, latency + offset), bytes);
    }
    case "bandwidth":
      return paced(state, at, bytes, effect.attributes.rate);
    case "slicer":
      return sliced(state, at, bytes, effect.attributes);
    case "slow_close":
      return send(state, at, bytes);
    case "timeout":
      return { state, scheduled: [] };
    case "reset_peer":
      return last(state, at + effect.attributes.timeout, { kind: "reset" });
    case "limit_data": {
      const left = Math.max(0, effect.attributes.bytes - state.passed);
      const part = bytes.subarray(0, left);
      const passed = state.passed + part.length;
      const sent =
        part.length > 0 ? send({ ...state, passed }, at, part) : { state, scheduled: [] };
      if (bytes.length < left) return sent;
      const closed = last(sent.state, at, { kind: "close" });
      return { state: closed.state, scheduled: [...sent.scheduled, ...closed.scheduled] };
    }
  }
};

const end = (effect: Effect, state: ToxicState, at: number, output: Output): ToxicStep => {
  switch (effect.type) {
    case "slow_close":
      return last(state, at + effect.attributes.delay, output);
    case "reset_peer":
      return last(state, at + effect.attributes.timeout, { kind: "reset" });
    // What it swallowed can't be taken for sent: the connection doesn't half-close, it ends.
    case "timeout":
      return last(state, at, output.kind === "end" ? { kind: "close" } : output);
    default:
      return last(state, at, output);
  }
};

/** One piece after the other, each as long as the rate takes for it. */
const paced = (state: ToxicState, at: number, bytes: Uint8Array, rate: number): ToxicStep => {
  const size = Math.max(1, rate * BANDWIDTH_PART_MS);
  const scheduled: Scheduled[] = [];
  let free = Math.max(at, state.busyUntil);
  for (let from = 0; from < bytes.length; from += size) {
    const part = bytes.subarray(from, from + size);
    // At no rate nothing ever passes.
    free += rate === 0 ? Number.POSITIVE_INFINITY : part.length / rate;
    scheduled.push({ at: free, output: { kind: "data", bytes: part } });
    if (rate === 0) {
      scheduled.push({ at: free, output: { kind: "data", bytes: bytes.subarray(from + size) } });
      break;
    }
  }
  return { state: { ...state, busyUntil: free }, scheduled };
};

const sliced = (
  state: ToxicState,
  at: number,
  bytes: Uint8Array,
  { average_size, size_variation, delay }: Extract<Effect, { type: "slicer" }>["attributes"],
): ToxicStep => {
  const [cuts, chance] = cutsOf(bytes.length, average_size, size_variation, state.chance);
  let free = Math.max(at, state.busyUntil);
  let from = 0;
  const scheduled = cuts.map((cut): Scheduled => {
    const slice = { at: free, output: { kind: "data", bytes: bytes.subarray(from, cut) } } as const;
    free += delay / 1000;
    from = cut;
    return slice;
  });
  return { state: { ...state, chance, busyUntil: free }, scheduled };
};

const send = (state: ToxicState, at: number, bytes: Uint8Array): ToxicStep => {
  const due = Math.max(at, state.busyUntil);
  return {
    state: { ...state, busyUntil: due },
    scheduled: [{ at: due, output: { kind: "data", bytes } }],
  };
};

const last = (state: ToxicState, at: number, output: Output): ToxicStep => ({
  state: { ...state, over: true },
  scheduled: [{ at: Math.max(at, state.busyUntil), output }],
});
