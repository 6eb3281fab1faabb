import { STREAM_CREDIT_BYTES } from "../limits.js";
import { violated } from "../violation.js";

/**
 * One stream as one side sees it. A direction ends with FIN; a stream ends when both directions
 * have, or with RST from both sides.
 */
export interface StreamState {
  /** Bytes that may still be sent. */
  readonly sendCredit: number;
  /** Bytes that the peer may still send. */
  readonly receiveCredit: number;
  readonly sent: "open" | "fin" | "rst" | "fin-rst";
  readonly received: "open" | "fin";
}

export type StreamEvent =
  | { readonly kind: "sendData"; readonly length: number }
  | { readonly kind: "sendFin" }
  | { readonly kind: "sendRst" }
  | { readonly kind: "grant"; readonly credit: number }
  | { readonly kind: "data"; readonly length: number }
  | { readonly kind: "window"; readonly credit: number }
  | { readonly kind: "fin" }
  | { readonly kind: "rst" };

export interface StreamStep {
  /** null: the stream is over and can be forgotten. */
  readonly state: StreamState | null;
  /** Whether the frame is to be handed to the reader, or answered with RST. */
  readonly effect: "deliver" | "discard" | "answer-rst";
}

export const NEW_STREAM: StreamState = {
  sendCredit: STREAM_CREDIT_BYTES,
  receiveCredit: STREAM_CREDIT_BYTES,
  sent: "open",
  received: "open",
};

/**
 * The rules of one stream. DATA, the only frequent event, spells its new state out: copying with
 * a spread shows in the throughput of an emulated guest. After a local RST frames that were under way are discarded, still
 * within the credit; the peer answers RST, unless it has seen FIN and RST and so has both ends.
 *
 * @throws WireError credit-exceeded, window-overflow or after-fin
 */
export const stepStream = (state: StreamState, event: StreamEvent): StreamStep => {
  const reset = state.sent === "rst" || state.sent === "fin-rst";
  switch (event.kind) {
    case "sendData":
      if (state.sent !== "open") throw violated("after-fin", "own DATA after FIN");
      if (event.length > state.sendCredit) throw violated("credit-exceeded", "own DATA");
      return deliver({
        sendCredit: state.sendCredit - event.length,
        receiveCredit: state.receiveCredit,
        sent: state.sent,
        received: state.received,
      });
    case "sendFin":
      if (state.sent !== "open") throw violated("after-fin", "own FIN after FIN");
      return state.received === "fin" ? ENDED : deliver({ ...state, sent: "fin" });
    case "sendRst":
      if (reset) throw violated("after-fin", "own RST after RST");
      return deliver({ ...state, sent: state.sent === "fin" ? "fin-rst" : "rst" });
    case "grant":
      return deliver({ ...state, receiveCredit: state.receiveCredit + event.credit });
    case "data":
      if (state.received === "fin") throw violated("after-fin", "DATA after FIN");
      if (event.length > state.receiveCredit) {
        throw violated("credit-exceeded", `DATA of ${event.length}, credit ${state.receiveCredit}`);
      }
      return {
        state: {
          sendCredit: state.sendCredit,
          receiveCredit: state.receiveCredit - event.length,
          sent: state.sent,
          received: state.received,
        },
        effect: reset ? "discard" : "deliver",
      };
    case "window": {
      const sendCredit = state.sendCredit + event.credit;
      if (sendCredit > STREAM_CREDIT_BYTES) {
        throw violated("window-overflow", `credit of ${sendCredit} bytes`);
      }
      return { state: { ...state, sendCredit }, effect: reset ? "discard" : "deliver" };
    }
    case "fin":
      if (state.received === "fin") throw violated("after-fin", "FIN after FIN");
      if (state.sent === "fin-rst") return { state: null, effect: "discard" };
      if (reset) return { state: { ...state, received: "fin" }, effect: "discard" };
      return state.sent === "fin" ? ENDED : deliver({ ...state, received: "fin" });
    case "rst":
      return { state: null, effect: reset ? "discard" : "answer-rst" };
  }
};

const ENDED: StreamStep = { state: null, effect: "deliver" };

const deliver = (state: StreamState): StreamStep => ({ state, effect: "deliver" });
