import type { Event } from "@drydock/evidence";
import type { Counters } from "@drydock/wire";
import type { ChannelBytes } from "../contract/index.js";

export type ClosedBy = "host" | "guest" | "violation";

/** The channels that this process speaks on: what each carried, and what the log says of it. */
export class ChannelBook {
  readonly #record: (event: Event) => void;
  readonly #counters = new Map<string, () => Counters>();
  readonly #closed = new Set<string>();

  constructor(record: (event: Event) => void) {
    this.#record = record;
  }

  get names(): readonly string[] {
    return [...this.#counters.keys()];
  }

  /** From here on the channel's bytes are counted. */
  carry(channel: string, counters: () => Counters): void {
    this.#counters.set(channel, counters);
  }

  opened(channel: string): void {
    this.#record({ type: "channel.open", measurements: { channel } });
  }

  /** A channel closes once: who came first is who closed it. */
  closed(channel: string, by: ClosedBy): void {
    if (this.#closed.has(channel)) return;
    this.#closed.add(channel);
    const { toGuest, fromGuest } = this.#bytesOf(channel);
    this.#record({
      type: "channel.closed",
      decision: by,
      measurements: { channel, toGuest, fromGuest },
    });
  }

  violated(channel: string, rule: string): void {
    const offset = this.#bytesOf(channel).fromGuest;
    this.#record({
      type: "channel.violation",
      decision: "closed",
      measurements: { channel, rule, offset },
    });
    this.closed(channel, "violation");
  }

  bytes(): readonly ChannelBytes[] {
    return this.names.map((name) => this.#bytesOf(name));
  }

  #bytesOf(channel: string): ChannelBytes {
    const counters = this.#counters.get(channel)?.();
    return { channel, toGuest: counters?.bytesOut ?? 0, fromGuest: counters?.bytesIn ?? 0 };
  }
}
