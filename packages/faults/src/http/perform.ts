import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { MAX_WAIT_MS } from "../arming/limits.js";
import type { Plan } from "../arming/model.js";
import type { Timers } from "../timers.js";
import {
  type Exchange,
  type ExchangeEffect,
  type ExchangeEvent,
  startExchange,
  stepExchange,
} from "./exchange.js";
import { endToEnd, requestHeaders } from "./headers.js";
import { LET_GO_MS, MAX_REQUEST_BYTES } from "./limits.js";
import type { Outcome } from "./model.js";
import { passPart } from "./pass-part.js";
import { refuse } from "./refuse.js";
import { connectCopy, type Message, sendPart, type Upstream } from "./upstream.js";

export interface PerformOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly plan: Plan;
  readonly upstream: Upstream;
  readonly timers: Timers;
  /** Whether nothing of this request may pass any more. */
  readonly isTooLate: () => boolean;
  /** Resets the connection that the request came on. */
  readonly resetClient: () => void;
  /** Told when something is known that wasn't, until it is settled. */
  readonly onChange: (state: Exchange) => void;
  /** Told once. */
  readonly onSettled: (state: Exchange, outcome: Outcome) => void;
}

interface Copy {
  readonly request: ClientRequest;
  sent: boolean;
  answer: IncomingMessage | null;
}

const knownOf = ({ sent, status, copies }: Exchange): string => `${sent} ${status} ${copies}`;

/** Carries one exchange out: reads the request, and does what the rules say. */
export class Performer {
  readonly #options: PerformOptions;
  #state: Exchange;
  #message: Message | null = null;
  readonly #copies: Copy[] = [];
  #resetPart: () => void = () => undefined;
  #cancelWait: () => void = () => undefined;
  readonly #events: ExchangeEvent[] = [];
  #busy = false;

  constructor(options: PerformOptions) {
    this.#options = options;
    this.#state = startExchange(options.plan);
    const { request, response } = options;
    response.on("error", () => undefined);
    response.once("close", () => this.#handle({ type: "client-gone" }));
    request.on("error", () => this.#handle({ type: "client-gone" }));
    this.#receive();
  }

  /** When the proxy stops: neither side is left with half an exchange that looks whole. */
  destroy(): void {
    this.#cancelWait();
    this.#resetPart();
    for (const { request } of this.#copies) request.destroy();
    this.#options.resetClient();
  }

  #receive(): void {
    const { request, response } = this.#options;
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_REQUEST_BYTES) {
        chunks.push(chunk);
        return;
      }
      if (this.#state.stage === "over") return;
      this.#state = { ...this.#state, stage: "over" };
      refuse(response, 413, "REQUEST_TOO_LARGE");
      this.#options.onSettled(this.#state, "refused-too-large");
    });
    request.on("end", () => {
      if (this.#state.stage === "over") return;
      const method = request.method ?? "";
      const headers = requestHeaders(request.rawHeaders, method, length);
      this.#message = {
        ...{ method, target: request.url ?? "", headers, body: Buffer.concat(chunks) },
      };
      this.#handle({ type: "received" });
    });
  }

  /** What an effect brings about at once waits until all effects before it are done. */
  #handle(event: ExchangeEvent): void {
    if (!this.#state.tooLate && this.#options.isTooLate()) this.#events.push({ type: "too-late" });
    this.#events.push(event);
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const before = this.#state;
      const { state, effects } = stepExchange(before, next);
      this.#state = state;
      if (state.stage !== "over" && knownOf(state) !== knownOf(before)) {
        this.#options.onChange(state);
      }
      for (const effect of effects) this.#perform(effect);
    }
    this.#busy = false;
  }

  #perform(effect: ExchangeEffect): void {
    const { timers, response, resetClient, onSettled } = this.#options;
    switch (effect.type) {
      case "wait":
        this.#cancelWait = timers.after(effect.ms, () => this.#handle({ type: "woke" }));
        break;
      case "connect":
        this.#connect();
        break;
      case "send-copy":
        this.#sendCopy();
        break;
      case "send-part":
        this.#sendPart(effect.bytes);
        break;
      case "discard":
        this.#discard(effect.copy === "first" ? this.#copies[0] : this.#copies.at(-1));
        break;
      case "pass":
        this.#pass(effect.bytes);
        break;
      case "refuse-client":
        refuse(response, 503, "MUTATION_DEADLINE");
        break;
      case "reset-client":
        resetClient();
        break;
      case "close-client":
        response.socket?.destroySoon();
        break;
      case "reset-upstream":
        this.#resetPart();
        break;
      case "settle":
        this.#cancelWait();
        this.#letGo();
        onSettled(this.#state, effect.outcome);
        break;
    }
  }

  #connect(): void {
    if (this.#message === null) return;
    const failed = (): void => this.#handle({ type: "upstream-failed" });
    const request = connectCopy(this.#options.upstream, this.#message, {
      onConnected: () => this.#handle({ type: "connected" }),
      onAnswer: (answer) => {
        copy.answer = answer;
        answer.on("error", failed);
        this.#handle({ type: "answered", status: answer.statusCode ?? 0 });
      },
      onFailed: failed,
    });
    request.setTimeout(MAX_WAIT_MS, () => request.destroy(new Error("silent upstream")));
    const copy: Copy = { request, sent: false, answer: null };
    this.#copies.push(copy);
  }

  #sendCopy(): void {
    const copy = this.#copies.at(-1);
    if (copy === undefined) return;
    copy.sent = true;
    copy.request.end(this.#message?.body);
  }

  #sendPart(bytes: number): void {
    if (this.#message === null) return;
    this.#resetPart = sendPart(this.#options.upstream, this.#message, bytes, {
      onSent: () => this.#handle({ type: "part-sent" }),
      onFailed: () => this.#handle({ type: "upstream-failed" }),
    });
  }

  #discard(copy: Copy | undefined): void {
    copy?.answer?.once("end", () => this.#handle({ type: "discarded" }));
    copy?.answer?.resume();
  }

  #pass(bytes: number | null): void {
    const answer = this.#copies[0]?.answer;
    if (!answer) return;
    const { response } = this.#options;
    const passed = (): void => this.#handle({ type: "passed" });
    if (bytes !== null) {
      passPart(answer, response, bytes, passed);
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    response.once("finish", passed);
    answer.pipe(response);
  }

  /** The upstream may finish what it was given, for a while and heard by nobody. */
  #letGo(): void {
    for (const { request, sent, answer } of this.#copies) {
      if (answer?.complete || request.destroyed) continue;
      if (!sent) {
        request.destroy();
        continue;
      }
      const cancel = this.#options.timers.after(LET_GO_MS, () => request.destroy());
      request.once("close", cancel);
      answer?.resume();
      request.on("response", (late) => late.resume());
    }
  }
}
