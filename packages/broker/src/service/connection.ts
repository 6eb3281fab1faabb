import type { Duplex } from "node:stream";
import type { Authority } from "../authority/authority.js";
import { REASONS, type Reason } from "../decision/index.js";
import type { EgressGrant, RequestForm } from "../policy/index.js";
import {
  type AbsoluteRequest,
  type ConnectRequest,
  createRequestReader,
} from "../request/index.js";
import type { TerminateEvent } from "../terminate/index.js";
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
import { type BoundHello, readHello } from "./read-hello.js";
import { type ClosedReceipt, type EgressReceipt, requestReceipt } from "./receipt.js";
import { refusalBytes } from "./refusal.js";
import { startTerminated } from "./terminated.js";

const ESTABLISHED = Buffer.from("HTTP/1.1 200 Connection Established\r\n\r\n", "latin1");
const NOTHING = new Uint8Array(0);

export interface ConnectionOptions extends ReachOptions, Pick<BrokerOptions, "terminate"> {
  readonly number: number;
  readonly terminates: (grant: EgressGrant) => boolean;
  /** False when it couldn't be written: then what it speaks of must not happen. */
  readonly write: (receipt: EgressReceipt) => boolean;
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
    const { timers, policy } = this.#options;
    this.#client.write(ESTABLISHED);
    const openedAt = timers.now();
    if (grant.protocol !== "tls") {
      const gate = rest.length === 0 ? null : passFirst(rest);
      const summary = await this.#carry(upstream, gate, openedAt);
      this.#close(grant, summary, "not-asked", openedAt);
      return;
    }
    const hello = await readHello(this.#client, grant, rest, {
      timers,
      timeoutMs: policy.limits.helloTimeoutMs,
      signal: this.#work.signal,
    });
    if (hello.kind === "refused") {
      const { reason } = hello;
      resetStream(upstream);
      this.#close(
        grant,
        { reason, up: 0, down: 0 },
        isOfHello(reason) ? "refused" : "unread",
        openedAt,
      );
      return;
    }
    const summary = this.#options.terminates(grant)
      ? await this.#terminate(grant, upstream, hello, openedAt)
      : await this.#carry(
          upstream,
          createAnswerGate({ authority, allowEch: grant.allowEch, ...hello }),
          openedAt,
        );
    // A second ClientHello may have named another server than the first.
    this.#close(grant, summary, isOfHello(summary.reason) ? "refused" : "equal", openedAt);
  }

  #carry(upstream: Duplex, gate: Gate | null, openedAt: number): Promise<TunnelSummary> {
    const { timers, policy } = this.#options;
    const carried = { client: this.#client, upstream, gate, limits: policy.limits };
    return this.#until((onEnd) => startRelay({ ...carried, timers, openedAt, onEnd }));
  }

  #terminate(
    grant: EgressGrant,
    upstream: Duplex,
    hello: Extract<BoundHello, { kind: "hello" }>,
    openedAt: number,
  ): Promise<TunnelSummary> {
    const { terminate, timers, policy, write, number } = this.#options;
    if (terminate === undefined) throw new TypeError("createBroker checks that there is one");
    const session = {
      grant,
      upstream,
      hello: { bytes: Buffer.concat([hello.raw, hello.rest]), alpn: hello.hello.alpn },
      onEvent: (event: TerminateEvent) => write(requestReceipt(event, number, grant.authority)),
    };
    return this.#until((onEnd) =>
      startTerminated({
        limits: policy.limits,
        timers,
        openedAt,
        start: (onBytes) => terminate(this.#client, { ...session, onBytes }),
        onEnd,
      }),
    );
  }

  /** Carries until the end, with something that a revocation can end meanwhile. */
  #until(start: (onEnd: (summary: TunnelSummary) => void) => Relay): Promise<TunnelSummary> {
    return new Promise((resolve) => {
      let over = false;
      const relay = start((summary) => {
        over = true;
        this.#relay = null;
        resolve(summary);
      });
      if (!over) this.#relay = relay;
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
    if (!this.#receiptOfDecision(form, authority, reason, reached.facts)) {
      if (reached.kind === "reached") reached.upstream.destroy();
      return null;
    }
    if (reached.kind === "reached") return reached;
    closeWith(this.#client, refusalBytes(reached.reason), this.#options.timers);
    return null;
  }

  #refuseUnread(reason: Reason): void {
    if (!this.#receiptOfDecision(null, null, reason, NO_FACTS)) return;
    closeWith(this.#client, refusalBytes(reason), this.#options.timers);
  }

  #receiptOfDecision(
    form: RequestForm | null,
    authority: Authority | null,
    reason: Reason | "GRANTED",
    facts: ReachFacts,
  ): boolean {
    const { number: connection, write } = this.#options;
    return write({ kind: "decision", connection, form, authority, reason, ...facts });
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
    { reason, up, down, finding = null }: TunnelSummary,
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
      finding,
    });
  }
}

/** Whether a reason speaks of what a ClientHello says, and not of one that didn't come. */
const isOfHello = (reason: Reason): boolean =>
  REASONS[reason].stage === "hello" && reason !== "HELLO_TIMEOUT";

/** Bytes that came with the request are the tunnel's first (RFC 9110 §9.3.6). */
const passFirst = (rest: Uint8Array): Gate => ({
  start: () => ({ kind: "open", toUpstream: [rest], toClient: [] }),
  fromClient: (bytes) => ({ kind: "open", toUpstream: [bytes], toClient: [] }),
  fromUpstream: (bytes) => ({ kind: "open", toUpstream: [], toClient: [bytes] }),
  ended: () => null,
});
