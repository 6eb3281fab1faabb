import { MAX_UNSENT_BYTES } from "../limits.js";
import { type BytePipe, directionsOf } from "../pipe.js";
import { type CloseReason, type ViolationCode, violated, WireError } from "../violation.js";
import { ControlDecoder, type ControlFrame } from "./decoder.js";
import { ControlEncoder } from "./encoder.js";
import type { Binding, Bodies } from "./frame.js";
import { GUEST_MESSAGES, type GuestMessage } from "./guest-messages.js";
import { HOST_MESSAGES, type HostMessage } from "./host-messages.js";

export interface Counters {
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface ControlOptions<In> {
  /** Called for each frame, in order, synchronously. A throw of WireError closes the channel. */
  readonly onFrame: (frame: ControlFrame<In>) => void;
  /** Called once. */
  readonly onClose: (reason: CloseReason) => void;
  /** ns since 1970; null while there is no clock */
  readonly nowNs: () => bigint | null;
}

export interface ControlChannel<Out> {
  /** Returns the frame's sequence number. @throws WireError for a message that breaks a limit */
  send(message: Out, deadlineNs: string, payload?: Uint8Array): number;
  readonly counters: Counters;
  /** Ends the sending direction after what was sent. */
  end(): void;
  /** Closes at once because of something the caller found. */
  refuse(code: ViolationCode, detail: string): void;
}

/** The host's end: sends HostMessage, reads GuestMessage of exactly this binding. */
export const attachHostControl = (
  pipe: BytePipe,
  binding: Binding,
  options: ControlOptions<GuestMessage>,
): ControlChannel<HostMessage> =>
  attach<HostMessage, GuestMessage>(pipe, HOST_MESSAGES, GUEST_MESSAGES, binding, options);

/** The guest's end: it learns its binding from the first frame and can't send before it. */
export const attachGuestControl = (
  pipe: BytePipe,
  options: ControlOptions<HostMessage>,
): ControlChannel<GuestMessage> =>
  attach<GuestMessage, HostMessage>(pipe, GUEST_MESSAGES, HOST_MESSAGES, null, options);

const attach = <Out extends { readonly type: string }, In extends { readonly type: string }>(
  pipe: BytePipe,
  outBodies: Bodies,
  inBodies: Bodies,
  binding: Binding | null,
  options: ControlOptions<In>,
): ControlChannel<Out> => {
  const decoder = new ControlDecoder<In>(inBodies, binding);
  let encoder = binding === null ? null : new ControlEncoder<Out>(outBodies, binding);
  const { input, output, destroy } = directionsOf(pipe);
  const counters = { bytesIn: 0, bytesOut: 0 };
  let closed = false;

  const close = (reason: CloseReason): void => {
    if (closed) return;
    closed = true;
    if (reason.kind !== "end") destroy();
    options.onClose(reason);
  };
  const refuse = (code: ViolationCode, detail: string): void =>
    close({ kind: "violation", violation: { code, detail } });

  const deliver = (frame: ControlFrame<In>): void => {
    try {
      options.onFrame(frame);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      close({ kind: "violation", violation: { code: error.code, detail: error.message } });
    }
  };

  input.on("data", (bytes: Buffer) => {
    if (closed) return;
    counters.bytesIn += bytes.length;
    const { frames, violation } = decoder.push(bytes, options.nowNs());
    for (const frame of frames) {
      if (closed) return;
      encoder ??= new ControlEncoder<Out>(outBodies, frame.binding);
      deliver(frame);
    }
    if (violation !== null) close({ kind: "violation", violation });
  });
  input.on("end", () => {
    const violation = decoder.end();
    close(violation === null ? { kind: "end" } : { kind: "violation", violation });
  });
  const failed = (error: Error): void => close({ kind: "error", error });
  input.on("error", failed);
  output.on("error", failed);
  input.on("close", () => failed(new Error("channel closed")));
  // Whoever read the stream before may have left it paused.
  input.resume();

  return {
    send(message, deadlineNs, payload) {
      if (encoder === null) throw violated("unexpected-message", "nothing was received yet");
      const frame = encoder.encode(message, deadlineNs, payload);
      if (closed) return frame.seq;
      counters.bytesOut += frame.bytes.length;
      output.write(frame.bytes);
      if (output.writableLength > MAX_UNSENT_BYTES) refuse("not-reading", "control frames pile up");
      return frame.seq;
    },
    counters,
    end: () => output.end(),
    refuse,
  };
};
