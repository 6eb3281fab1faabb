import type { Duplex } from "node:stream";
import {
  type Broker,
  type BrokerOptions,
  type CompiledCanaries,
  compileCanaries,
  type EgressPolicy,
  type EgressReceipt,
  policyFromDocument,
  receiptEvent,
  type Timers,
  watchConnection,
} from "@drydock/broker";
import {
  DrydockError,
  type Event,
  type LogClock,
  parseCanonical,
  type SigningKey,
} from "@drydock/evidence";
import { attachBulk, type BulkChannel, type CloseReason } from "@drydock/wire";
import type {
  ChannelBytes,
  EGRESS,
  EGRESS_EVENTS,
  EGRESS_SUPPLIES,
  EgressSupplies,
} from "../contract/index.js";
import { type Calls, type Handlers, need } from "../link/index.js";
import { type LogHead, ProcessLog } from "../log/index.js";
import { inspectTunnels } from "./inspect.js";

export interface EgressPorts {
  readonly key: SigningKey;
  readonly clock: LogClock;
  readonly entropy: (bytes: number) => Buffer;
  readonly controller: Calls<typeof EGRESS_EVENTS>;
  /** Takes the host end of a channel by its socket. */
  readonly connect: (path: string) => Promise<Duplex>;
  readonly createBroker: (
    options: {
      readonly policy: EgressPolicy;
      readonly receipts: (receipt: EgressReceipt) => void;
      readonly onBroken: (error: unknown) => void;
    } & Pick<BrokerOptions, "terminates" | "terminate">,
  ) => Broker;
  readonly timers: Timers;
  readonly files: { readonly log: string; readonly checkpoints: string };
}

interface OpenChannel {
  readonly name: string;
  readonly pipe: Duplex;
  readonly bulk: BulkChannel;
  closed: boolean;
}

/** All that the broker process holds of one run: a channel to the guest, a broker, and its log. */
export class EgressSession {
  readonly #ports: EgressPorts;
  #log: ProcessLog | null = null;
  #broker: Broker | null = null;
  #canaries: CompiledCanaries | null = null;
  #channel: OpenChannel | null = null;
  readonly #supplies: Promise<EgressSupplies>;
  #supply: (supplies: EgressSupplies) => void = () => undefined;
  /** Once revoked or lost, nothing is opened again. */
  #over = false;

  constructor(ports: EgressPorts) {
    this.#ports = ports;
    this.#supplies = new Promise((resolve) => {
      this.#supply = resolve;
    });
  }

  /** Of the launcher's line. Only what comes first counts. */
  supplies(): Handlers<typeof EGRESS_SUPPLIES> {
    return {
      supply: (supplies) => {
        this.#supply(supplies);
        return null;
      },
    };
  }

  handlers(): Handlers<typeof EGRESS> {
    return {
      introduce: () => ({ spki: this.#ports.key.public.spki }),
      begin: (params) => this.#begin(params),
      connect: ({ channel, path }) => this.#connect(channel, path),
      checkpoint: () => ({ head: this.#head(), channels: this.#bytes(), denied: this.#denied() }),
      revoke: async () => {
        await this.#shut();
        return { channels: this.#bytes() };
      },
      end: async ({ clean }) => {
        await this.#shut();
        return this.#end(clean);
      },
    };
  }

  async #begin({
    run,
    manifest,
    policy: text,
    ...sealed
  }: ReturnType<(typeof EGRESS)["begin"]["params"]>): Promise<
    ReturnType<(typeof EGRESS)["begin"]["result"]>
  > {
    const { key, clock, entropy, files, createBroker, timers } = this.#ports;
    const policy = policyFromDocument(parseCanonical(Buffer.from(text, "utf8")));
    const inspected = await inspectTunnels(policy, sealed, await this.#supplies, {
      timers,
      now: () => new Date(clock.wall()),
      entropy,
    });
    const broker = createBroker({
      ...inspected.broker,
      policy,
      receipts: (receipt) => this.#record(receiptEvent(receipt)),
      // What can't be recorded doesn't happen: the broker has ended everything already.
      onBroken: () => this.#lose("EGRESS_LOG"),
    });
    this.#log = new ProcessLog(files, {
      role: "egress",
      ...{ run, manifest, key, clock, nonce: entropy(8) },
    });
    this.#broker = broker;
    if (sealed.canaries.length > 0) this.#canaries = compileCanaries(sealed.canaries);
    return inspected.guest;
  }

  async #connect(name: string, path: string): Promise<null> {
    const broker = need(this.#broker, "begin");
    if (this.#over || this.#channel !== null)
      throw new DrydockError("CHANNEL_STATE", `${name} can't be opened now`);
    const pipe = await this.#ports.connect(path);
    if (this.#over) {
      // Revoked while it was being made.
      pipe.destroy();
      throw new DrydockError("CHANNEL_STATE", `${name} was revoked`);
    }
    const bulk = attachBulk(pipe, {
      role: "acceptor",
      onStream: (stream) => broker.accept(this.#watched(name, stream)),
      onClose: (reason) => this.#channelClosed(name, reason),
    });
    this.#channel = { name, pipe, bulk, closed: false };
    this.#record({ type: "channel.open", measurements: { channel: name } });
    return null;
  }

  /** What TLS hides here is looked into where it ends. */
  #watched(channel: string, stream: Duplex): Duplex {
    if (this.#canaries === null) return stream;
    return watchConnection(stream, this.#canaries, ({ canary, encoding, layer }, place) =>
      this.#record({
        type: "canary.sighted",
        measurements: { channel, place, canary, encoding, layer },
      }),
    );
  }

  /** No byte passes after it: tunnels are reset, receipts written, and the channel is closed. */
  async #shut(): Promise<void> {
    this.#over = true;
    await this.#broker?.close();
    this.#channel?.pipe.destroy();
    this.#recordClosed("host");
  }

  #end(clean: boolean): ReturnType<(typeof EGRESS)["end"]["result"]> {
    this.#record({ type: "log.end", decision: clean ? "clean" : "failed" });
    const head = this.#head();
    this.#log?.close();
    this.#log = null;
    return { head, channels: this.#bytes(), denied: this.#denied() };
  }

  #channelClosed(channel: string, reason: CloseReason): void {
    if (this.#over) return;
    if (reason.kind !== "violation") {
      this.#recordClosed("guest");
      this.#lose("EGRESS_CHANNEL_LOST");
      return;
    }
    const { code } = reason.violation;
    this.#record({
      type: "channel.violation",
      decision: "closed",
      measurements: { channel, rule: code, offset: this.#channel?.bulk.counters.bytesIn ?? 0 },
    });
    this.#recordClosed("violation");
    this.#over = true;
    this.#broker?.revoke();
    // The controller's own link says it if the controller is gone.
    this.#ports.controller.violation({ channel, code }).catch(() => undefined);
  }

  #lose(code: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#broker?.revoke();
    // As above.
    this.#ports.controller.lost({ code }).catch(() => undefined);
  }

  #recordClosed(by: "host" | "guest" | "violation"): void {
    const channel = this.#channel;
    if (channel === null || channel.closed) return;
    channel.closed = true;
    for (const measurements of this.#bytes())
      this.#record({ type: "channel.closed", decision: by, measurements });
  }

  #record(event: Event): void {
    need(this.#log, "begin").record(event);
  }

  #head(): LogHead {
    return need(this.#log, "begin").checkpoint();
  }

  #bytes(): readonly ChannelBytes[] {
    if (this.#channel === null) return [];
    const { name, bulk } = this.#channel;
    const { bytesIn, bytesOut } = bulk.counters;
    return [{ channel: name, toGuest: bytesOut, fromGuest: bytesIn }];
  }

  #denied(): number {
    return this.#broker?.counters.denied ?? 0;
  }
}
