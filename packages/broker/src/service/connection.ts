import type { Duplex } from "node:stream";
import type { Authority } from "../authority/authority.js";
import type { Reason } from "../decision/index.js";
import { bindHello, createHelloReader, HELLO_LIMITS } from "../hello/index.js";
import type { EgressGrant, RequestForm } from "../policy/index.js";
import {
  type AbsoluteRequest,
  type ConnectRequest,
  createRequestReader,
} from "../request/index.js";
import {
  createAnswerGate,
  type Gate,
  type Relay,
  resetStream,
  startRelay,
  type TunnelSummary,
} from "../tunnel/index.js";
import { createExchangeGate } from "./exchange-gate.js";
import { closeWith } from "./linger.js";
import type { BrokerOptions } from "./model.js";
import { NO_FACTS, type Reached, type ReachFacts, type ReachOptions, reach } from "./reach.js";
import { readFrom } from "./read-from.js";
import type { ClosedReceipt, EgressReceipt } from "./receipt.js";
import { refusalBytes } from "./refusal.js";
import { startTerminated } from "./terminated.js";

const ESTABLISHED = Buffer.from("HTTP/1.1 200 Connection Established\r\n\r\n", "latin1");
const NOTHING = new Uint8Array(0);

export interface ConnectionOptions extends ReachOptions, Pick<BrokerOptions, "terminate"> {
  readonly number: number;
  readonly terminates: (grant: EgressGrant) => boolean;
  readonly write: (receipt: EgressReceipt) => void;
}

/** Serves one client from its first byte to its last. */
export class Connection {
  readonly #client: Duplex;
  readonly #options: ConnectionOptions;
  /** Aborted with the reason that a decision under way then has. */
  readonly #work = new AbortController();
  #relay: Relay | null = null;

  constructor(client: Duplex, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
    client.once("close", () => this.#work.abort("CLIENT_RESET"));
  }

  /** By reset, whatever state it is in. */
  revoke(): void {
    this.#work.abort("HALTED");
    if (this.#relay === null) resetStream(this.#client);
    else this.#relay.end("REVOKED");
  }

  /** Resolves when nothing more is done for the client, which may still be closing. */
  async serve(): Promise<void> {
    let rest: Uint8Array = NOTHING;
    for (let first = true; ; first = false) {
      const read = await this.#read(createRequestReader(this.#options.policy.limits), rest);
      if (read.kind === "aborted") return;
      if (read.kind === "ended" || (read.kind === "timeout" && !read.some && !first)) {
        // It asked for nothing more.
        closeWith(this.#client, NOTHING, this.#options.timers);
        return;
      }
      if (read.kind === "timeout") return this.#refuseUnread("HEADER_TIMEOUT");
      const { step } = read;
      switch (step.kind) {
        case "refused":
          return this.#refuseUnread(step.reason);
        case "connect":
          return await this.#tunnel(step);
        case "absolute": {
          const next = await this.#exchange(step);
          if (next === null) return;
          rest = next;
        }
      }
    }
  }

  #read(reader: ReturnType<typeof createRequestReader>, rest: Uint8Array) {
    const { timers, policy } = this.#options;
    return readFrom(this.#client, (bytes) => reader.push(bytes), rest, {
      timers,
      timeoutMs: policy.limits.headerTimeoutMs,
      signal: this.#work.signal,
    });
  }

  async #tunnel(request: ConnectRequest): Promise<void> {
    const { authority, rest } = request;
    const reached = await this.#reach(request);
    if (reached === null) return;
    const { grant, upstream } = reached;
    const { timers } = this.#options;
    this.#client.write(ESTABLISHED);
    const openedAt = timers.now();
    if (grant.protocol !== "tls") {
      const gate = rest.length === 0 ? null : passFirst(rest);
      const summary = await this.#carry(upstream, gate, openedAt);
      this.#close(grant, summary, "not-asked", openedAt);
      return;
    }
    const hello = await this.#hello(grant, rest);
    if (hello.kind === "refused") {
      resetStream(upstream);
      this.#close(grant, { reason: hello.reason, up: 0, down: 0 }, "refused", openedAt);
      return;
    }
    const summary = this.#options.terminates(grant)
      ? await this.#terminate(grant, upstream, hello, openedAt)
      : await this.#carry(
          upstream,
          createAnswerGate({ authority, allowEch: grant.allowEch, ...hello }),
          openedAt,
        );
    const rebound = HELLO_REASONS.has(summary.reason);
    this.#close(grant, summary, rebound ? "refused" : "equal", openedAt);
  }

  /** The client's first bytes, which have to be a ClientHello that names the authority. */
  async #hello(grant: EgressGrant, rest: Uint8Array) {
    const { timers, policy } = this.#options;
    const reader = createHelloReader(HELLO_LIMITS);
    const read = await readFrom(this.#client, (bytes) => reader.push(bytes), rest, {
      timers,
      timeoutMs: policy.limits.helloTimeoutMs,
      signal: this.#work.signal,
    });
    switch (read.kind) {
      case "timeout":
        return refused("HELLO_TIMEOUT");
      case "ended":
        return refused(read.some ? "HELLO_MALFORMED" : "CLIENT_RESET");
      case "aborted":
        return refused(this.#work.signal.reason === "HALTED" ? "REVOKED" : "CLIENT_RESET");
      case "read": {
        if (read.step.kind === "refused") return read.step;
        const binding = bindHello(read.step.hello, grant.authority, grant);
        return binding.kind === "refused" ? binding : read.step;
      }
    }
  }

  #carry(upstream: Duplex, gate: Gate | null, openedAt: number): Promise<TunnelSummary> {
    const { timers, policy } = this.#options;
    return new Promise((resolve) => {
      this.#relay = startRelay({
        client: this.#client,
        upstream,
        gate,
        limits: policy.limits,
        timers,
        openedAt,
        onEnd: (summary) => {
          this.#relay = null;
          resolve(summary);
        },
      });
    });
  }

  #terminate(
    grant: EgressGrant,
    upstream: Duplex,
    hello: {
      readonly raw: Uint8Array;
      readonly rest: Uint8Array;
      readonly hello: { readonly alpn: readonly string[] | null };
    },
    openedAt: number,
  ): Promise<TunnelSummary> {
    const { terminate, timers, policy, write, number } = this.#options;
    if (terminate === undefined) throw new TypeError("createBroker checks that there is one");
    const { authority } = grant;
    return new Promise((resolve) => {
      this.#relay = startTerminated({
        limits: policy.limits,
        timers,
        openedAt,
        start: (onBytes) =>
          terminate(this.#client, {
            grant,
            upstream,
            hello: { bytes: Buffer.concat([hello.raw, hello.rest]), alpn: hello.hello.alpn },
            onBytes,
            onEvent: (event) =>
              write({
                kind: "request",
                connection: number,
                authority,
                reason: event.kind === "admitted" ? "GRANTED" : event.reason,
                rule: event.kind === "admitted" ? event.rule : null,
                secrets: event.kind === "admitted" ? event.secrets : [],
              }),
          }),
        onEnd: (summary) => {
          this.#relay = null;
          resolve(summary);
        },
      });
    });
  }

  /** One request of the protocol `http`. Null: the client's connection is over. */
  async #exchange(request: AbsoluteRequest): Promise<Uint8Array | null> {
    const reached = await this.#reach(request);
    if (reached === null) return null;
    const { timers, policy } = this.#options;
    const openedAt = timers.now();
    const gate = createExchangeGate(request, policy.limits);
    const summary = await this.#carry(reached.upstream, gate, openedAt);
    this.#receiptOfEnd(reached.grant, summary, "not-asked", openedAt);
    if (summary.reason !== "CLOSED") {
      // Half a response must not look like a whole one; before any of it there's still the one form.
      if (summary.down > 0) resetStream(this.#client);
      else closeWith(this.#client, refusalBytes(summary.reason), timers);
      return null;
    }
    const { keepAlive, rest } = gate.next();
    if (keepAlive) return rest;
    closeWith(this.#client, NOTHING, timers);
    return null;
  }

  /** Decides, looks up, dials, and writes the receipt of it. Null: the client was refused. */
  async #reach(
    request: ConnectRequest | AbsoluteRequest,
  ): Promise<Extract<Reached, { kind: "reached" }> | null> {
    const { authority, kind: form } = request;
    const reached = await reach(request, this.#work.signal, this.#options);
    const reason = reached.kind === "reached" ? "GRANTED" : reached.reason;
    try {
      this.#receiptOfDecision(form, authority, reason, reached.facts);
    } catch (error) {
      if (reached.kind === "reached") reached.upstream.destroy();
      throw error;
    }
    if (reached.kind === "reached") return reached;
    closeWith(this.#client, refusalBytes(reached.reason), this.#options.timers);
    return null;
  }

  #refuseUnread(reason: Reason): void {
    this.#receiptOfDecision(null, null, reason, NO_FACTS);
    closeWith(this.#client, refusalBytes(reason), this.#options.timers);
  }

  #receiptOfDecision(
    form: RequestForm | null,
    authority: Authority | null,
    reason: Reason | "GRANTED",
    facts: ReachFacts,
  ): void {
    const { number: connection, write } = this.#options;
    write({ kind: "decision", connection, form, authority, reason, ...facts });
  }

  /** After a 200 nothing is written into a tunnel: what isn't a clean end is a reset. */
  #close(
    grant: EgressGrant,
    summary: TunnelSummary,
    serverName: ClosedReceipt["serverName"],
    openedAt: number,
  ): void {
    if (summary.reason === "CLOSED") this.#client.destroy();
    else resetStream(this.#client);
    this.#receiptOfEnd(grant, summary, serverName, openedAt);
  }

  #receiptOfEnd(
    { authority, protocol }: EgressGrant,
    { reason, up, down }: TunnelSummary,
    serverName: ClosedReceipt["serverName"],
    openedAt: number,
  ): void {
    const { number: connection, write, timers } = this.#options;
    const durationMs = timers.now() - openedAt;
    write({
      kind: "closed",
      connection,
      authority,
      protocol,
      reason,
      serverName,
      up,
      down,
      durationMs,
    });
  }
}

/** Reasons of a second ClientHello that named another server than the first. */
const HELLO_REASONS: ReadonlySet<Reason> = new Set<Reason>([
  "SNI_ABSENT",
  "SNI_DIFFERENT",
  "SNI_DUPLICATE",
  "ECH",
  "HELLO_MALFORMED",
  "HELLO_NOT_TLS",
  "HELLO_TOO_LARGE",
]);

const refused = (reason: Reason) => ({ kind: "refused", reason }) as const;

/** Bytes that came with the request are the tunnel's first (RFC 9110 §9.3.6). */
const passFirst = (rest: Uint8Array): Gate => ({
  start: () => ({ kind: "open", toUpstream: [rest], toClient: [] }),
  fromClient: (bytes) => ({ kind: "open", toUpstream: [bytes], toClient: [] }),
  fromUpstream: (bytes) => ({ kind: "open", toUpstream: [], toClient: [bytes] }),
  ended: () => null,
});
