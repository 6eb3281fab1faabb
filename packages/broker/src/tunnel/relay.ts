import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Reason } from "../decision/index.js";
import type { Timers } from "../timers.js";
import type { Gate, GateStep, Reading, Side, TunnelLimits, TunnelSummary } from "./model.js";
import { giveBack } from "./read-buffers.js";
import { resetStream } from "./reset.js";
import {
  startTunnel,
  stepTunnel,
  type TunnelEffect,
  type TunnelEvent,
  type TunnelState,
} from "./step.js";

export interface RelayOptions {
  /** Paused, with a listener for errors of the caller's. It is his again after `onEnd`. */
  readonly client: Duplex;
  /** Becomes the relay's. */
  readonly upstream: Duplex;
  /** Null: everything passes. */
  readonly gate: Gate | null;
  readonly limits: TunnelLimits;
  readonly timers: Timers;
  /** When the client was told that the tunnel is open. */
  readonly openedAt: number;
  /** Called once. Unless the reason is `CLOSED`, the client is the caller's to reset. */
  readonly onEnd: (summary: TunnelSummary) => void;
}

export interface Relay {
  end(reason: Reason): void;
}

/**
 * Carries bytes between two streams. Back-pressure is the streams' own: a side that can't be
 * written to stops the other from being read, so a slow reader costs two buffers and no more.
 */
export const startRelay = (options: RelayOptions): Relay => new Tunnel(options);

class Tunnel implements Relay {
  readonly #options: RelayOptions;
  #state: TunnelState;
  #gate: Gate | null;
  #reading: Reading = "both";
  #up = 0;
  #down = 0;
  #lastByteAt: number;
  #cancelWake: () => void = () => undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#gate = options.gate;
    this.#lastByteAt = options.timers.now();
    const { state, effects } = startTunnel(options.limits, options.openedAt);
    this.#state = state;
    this.#perform(effects);
    const { client, upstream } = options;
    // What a stream says after the tunnel's end interests nobody and must not end the process.
    upstream.on("error", () => undefined);
    this.#listen(client, "client", (chunk) => this.#fromClient(chunk));
    this.#listen(upstream, "upstream", (chunk) => this.#fromUpstream(chunk));
    for (const side of ["client", "upstream"] as const) {
      if (options[side].destroyed) this.#handle({ type: "failed", side });
    }
    if (this.#gate !== null) this.#pass(this.#gate.start());
    this.#readOn();
    for (const side of ["client", "upstream"] as const) {
      // A socket says that it has ended even while it is paused, so before anybody listened.
      if (options[side].readableEnded) this.#ended(side);
    }
  }

  end(reason: Reason): void {
    this.#handle({ type: "refused", reason });
  }

  #fromClient(chunk: Buffer): void {
    if (this.#gate !== null) {
      this.#lastByteAt = this.#options.timers.now();
      this.#pass(this.#gate.fromClient(chunk));
      return;
    }
    if (this.#mayPass(chunk.length, 0) && !this.#options.upstream.write(chunk)) {
      this.#options.client.pause();
    }
  }

  #fromUpstream(chunk: Buffer): void {
    if (this.#gate !== null) {
      this.#lastByteAt = this.#options.timers.now();
      this.#pass(this.#gate.fromUpstream(chunk));
      return;
    }
    if (!this.#mayPass(0, chunk.length)) return;
    const { client, upstream } = this.#options;
    const room = client.write(chunk);
    if (isWithKernel(client)) giveBack(chunk);
    else if (!room) upstream.pause();
  }

  /** Counts bytes that are about to be forwarded, unless the rules refuse them. */
  #mayPass(up: number, down: number): boolean {
    const { timers, limits } = this.#options;
    this.#lastByteAt = timers.now();
    // The rules are asked when it matters: they make an object for each answer.
    if (this.#up + up > limits.maxBytesUp || this.#down + down > limits.maxBytesDown) {
      this.#handle({ type: "bytes", up: this.#up + up, down: this.#down + down });
    }
    if (this.#state.phase === "over") return false;
    this.#up += up;
    this.#down += down;
    return true;
  }

  #pass(step: GateStep): void {
    switch (step.kind) {
      case "refused":
        this.#handle({ type: "refused", reason: step.reason });
        return;
      case "done":
        this.#send([], step.toClient);
        this.#handle({ type: "done" });
        return;
      case "open":
        this.#gate = null;
        this.#reading = "both";
        this.#send(step.toUpstream, step.toClient);
        this.#readOn();
        return;
      case "pass":
        this.#reading = step.read;
        this.#send(step.toUpstream, step.toClient);
        this.#readOn();
        return;
    }
  }

  #send(toUpstream: readonly Uint8Array[], toClient: readonly Uint8Array[]): void {
    const { client, upstream } = this.#options;
    for (const bytes of toUpstream) {
      if (bytes.length > 0 && this.#mayPass(bytes.length, 0)) upstream.write(bytes);
    }
    for (const bytes of toClient) {
      if (bytes.length > 0 && this.#mayPass(0, bytes.length)) client.write(bytes);
    }
  }

  /** Reads each side that is to be read and whose bytes the other can take. */
  #readOn(): void {
    if (this.#state.phase === "over") return;
    const { client, upstream } = this.#options;
    const wants = (side: Side): boolean => this.#reading === "both" || this.#reading === side;
    // A gate may write both ways for what it read from one.
    const blocked = this.#gate !== null && (client.writableNeedDrain || upstream.writableNeedDrain);
    setFlowing(client, wants("client") && !blocked && !upstream.writableNeedDrain);
    setFlowing(upstream, wants("upstream") && !blocked && !client.writableNeedDrain);
  }

  #handle(event: TunnelEvent): void {
    const { state, effects } = stepTunnel(this.#state, event);
    this.#state = state;
    this.#perform(effects);
  }

  #perform(effects: readonly TunnelEffect[]): void {
    const { timers, client, upstream, onEnd } = this.#options;
    for (const effect of effects) {
      switch (effect.type) {
        case "wake":
          this.#cancelWake = timers.after(Math.max(0, effect.at - timers.now()), () =>
            this.#handle({ type: "woke", at: timers.now(), lastByteAt: this.#lastByteAt }),
          );
          break;
        case "end":
          this.#options[effect.side].end();
          break;
        case "cut":
          resetStream(upstream);
          break;
        case "report":
          this.#cancelWake();
          for (const remove of this.#listeners) remove();
          client.pause();
          if (!upstream.destroyed) upstream.destroy();
          onEnd({ reason: effect.reason, up: this.#up, down: this.#down });
          break;
      }
    }
  }

  #listen(stream: Duplex, side: Side, onData: (chunk: Buffer) => void): void {
    const failed = (): void => this.#handle({ type: "failed", side });
    const listeners = {
      data: onData,
      drain: () => {
        this.#lastByteAt = this.#options.timers.now();
        this.#readOn();
      },
      end: () => this.#ended(side),
      finish: () => this.#handle({ type: "finished", side }),
      error: failed,
      // The rules know whether it had ended.
      close: failed,
    };
    for (const [event, listener] of Object.entries(listeners)) {
      stream.on(event, listener);
      this.#listeners.push(() => stream.off(event, listener));
    }
  }

  #ended(side: Side): void {
    const step = this.#gate?.ended(side) ?? null;
    if (step === null) this.#handle({ type: "ended", side });
    else this.#pass(step);
  }
}

/** Whether nothing that was written is kept here: other streams than sockets keep it elsewhere. */
const isWithKernel = (stream: Duplex): boolean =>
  Object.getPrototypeOf(stream) === Socket.prototype && stream.writableLength === 0;

const setFlowing = (stream: Duplex, flowing: boolean): void => {
  if (flowing) stream.resume();
  else stream.pause();
};
