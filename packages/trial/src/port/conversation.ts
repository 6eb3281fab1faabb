import type { Duplex } from "node:stream";
import { DrydockError } from "@drydock/evidence";
import {
  attachHostControl,
  type Binding,
  type CloseReason,
  type ControlChannel,
  type Counters,
  type GuestMessage,
  guestSaid,
  type HostMessage,
  type HostSession,
  hostSent,
  NEW_HOST_SESSION,
  type Violation,
  WireError,
} from "@drydock/wire";

type Answer = Extract<
  GuestMessage,
  { type: "ready" | "channelOpen" | "planted" | "execExit" | "putDone" | "collectDone" }
>;
export type AnswerOf<T extends Answer["type"]> = Extract<GuestMessage, { type: T }>;

interface Waiting {
  readonly seq: number;
  readonly accepts: Answer["type"];
  readonly key: string;
  resolve(message: GuestMessage): void;
  reject(error: Error): void;
}

export interface ConversationEvents {
  started(exec: string): void;
  ended(reason: { readonly kind: "lost"; readonly code: string }): void;
  violated(violation: Violation): void;
}

/**
 * The host's side of the control channel: requests that wait for their answers. The guest may only
 * answer what it was asked; anything else closes the channel.
 */
export class Conversation {
  readonly #channel: ControlChannel<HostMessage>;
  readonly #events: ConversationEvents;
  readonly #deadlineNs: () => string;
  #session: HostSession = NEW_HOST_SESSION;
  #waiting: Waiting[] = [];
  #over = false;

  constructor(
    pipe: Duplex,
    binding: Binding,
    /** End of a request's life: ns since 1970 as text. */
    deadlineNs: () => string,
    events: ConversationEvents,
  ) {
    this.#events = events;
    this.#deadlineNs = deadlineNs;
    this.#channel = attachHostControl(pipe, binding, {
      onFrame: (frame) => this.#receive(frame.message),
      onClose: (reason) => this.#close(reason),
      nowNs: () => BigInt(Date.now()) * 1_000_000n,
    });
  }

  get counters(): Counters {
    return this.#channel.counters;
  }

  /** Sends a request and waits for its answer. */
  ask<T extends Answer["type"]>(
    message: HostMessage,
    accepts: T,
    key: string,
  ): Promise<AnswerOf<T>> {
    return new Promise((resolve, reject) => {
      if (this.#over) {
        reject(guestGone());
        return;
      }
      const seq = this.#send(message);
      this.#waiting.push({
        seq,
        accepts,
        key,
        resolve: (answer) => resolve(answer as AnswerOf<T>),
        reject,
      });
    });
  }

  /** Sends what needs no answer. */
  tell(message: HostMessage): void {
    if (!this.#over) this.#send(message);
  }

  /** The host hangs up: what waits is rejected, and nothing is a violation any more. */
  hangUp(): void {
    this.#finish();
  }

  #send(message: HostMessage): number {
    const seq = this.#channel.send(message, this.#deadlineNs());
    this.#session = hostSent(this.#session, message, seq);
    return seq;
  }

  #receive(message: GuestMessage): void {
    if (this.#over) return;
    // Throws a WireError, which closes the channel as a violation.
    this.#session = guestSaid(this.#session, message);
    switch (message.type) {
      case "execStarted":
        this.#events.started(message.exec);
        return;
      case "error": {
        const waiting = this.#take(({ seq }) => seq === message.ref);
        waiting?.reject(
          new DrydockError(
            `AGENT_${message.code.toUpperCase().replaceAll("-", "_")}`,
            `the agent says: ${message.message}`,
          ),
        );
        return;
      }
      case "ready":
        this.#answer(message, message.nonce);
        return;
      case "channelOpen":
        this.#answer(message, message.name);
        return;
      case "planted":
        this.#answer(message, message.path);
        return;
      case "execExit":
        this.#answer(message, message.exec);
        return;
      case "putDone":
      case "collectDone":
        this.#answer(message, String(message.stream));
        return;
      case "pong":
        return;
    }
  }

  #answer(message: Answer, key: string): void {
    this.#take((item) => item.accepts === message.type && item.key === key)?.resolve(message);
  }

  #take(matches: (waiting: Waiting) => boolean): Waiting | undefined {
    const index = this.#waiting.findIndex(matches);
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  #close(reason: CloseReason): void {
    if (this.#over) return;
    this.#finish();
    switch (reason.kind) {
      case "violation":
        this.#events.violated(reason.violation);
        return;
      case "end":
        this.#events.ended({ kind: "lost", code: "AGENT_CLOSED" });
        return;
      case "error":
        if (reason.error instanceof WireError) {
          const { code, message } = reason.error;
          this.#events.violated({ code, detail: message });
        } else this.#events.ended({ kind: "lost", code: "AGENT_LOST" });
    }
  }

  #finish(): void {
    this.#over = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(guestGone());
  }
}

const guestGone = (): DrydockError => new DrydockError("GUEST_GONE", "the guest's agent is gone");
