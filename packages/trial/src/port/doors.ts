import { DrydockError, type Event } from "@drydock/evidence";
import { BULK_CHANNEL, CONTROL_CHANNEL, type Machine } from "@drydock/vm";
import { attachBulk, type BulkChannel, type CloseReason } from "@drydock/wire";
import { need } from "../link/index.js";
import type { ChannelBook } from "./channel-book.js";
import type { Conversation } from "./conversation.js";
import { inTime } from "./in-time.js";

export const guestGone = (): DrydockError =>
  new DrydockError("GUEST_GONE", "the guest is gone, or its doors are shut");

export interface DoorParts {
  readonly book: ChannelBook;
  readonly machine: () => Machine | null;
  readonly guest: () => Conversation | null;
  readonly record: (event: Event) => void;
  /** A byte of the guest's came through. */
  readonly heard: () => void;
  readonly bulkClosed: (reason: CloseReason) => void;
}

/** Doors of the machine: opened one by one as the controller grants them, and shut all at once. */
export class Doors {
  readonly #parts: DoorParts;
  /** Channels that the guest has and whose host end is another process's. */
  readonly #plugged = new Set<string>();
  #bulk: BulkChannel | null = null;
  #shut = false;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  get areShut(): boolean {
    return this.#shut;
  }

  get bulk(): BulkChannel | null {
    return this.#bulk;
  }

  /** From here on nothing is opened; what is open stays so until `revoke`. */
  shut(): void {
    this.#shut = true;
  }

  /** The guest is gone or the doors are shut: a request that comes late opens none of them again. */
  refuseWhenShut(): void {
    if (this.#shut) throw guestGone();
  }

  async grant(channel: string): Promise<null> {
    const machine = need(this.#parts.machine(), "machine");
    const { book } = this.#parts;
    if (channel === CONTROL_CHANNEL) {
      book.opened(CONTROL_CHANNEL);
      return null;
    }
    if (channel !== BULK_CHANNEL)
      throw new DrydockError("CHANNEL_UNKNOWN", `nobody here speaks on ${channel}`);
    const stream = await machine.grant(channel);
    if (this.#shut) {
      // The doors were shut while this one was being made.
      await machine.revoke(channel);
      throw guestGone();
    }
    stream.on("data", this.#parts.heard);
    const bulk = attachBulk(stream, { role: "opener", onClose: this.#parts.bulkClosed });
    this.#bulk = bulk;
    book.carry(BULK_CHANNEL, () => bulk.counters);
    book.opened(BULK_CHANNEL);
    await this.#tell(BULK_CHANNEL);
    return null;
  }

  async plug(channel: string): Promise<null> {
    this.#plugged.add(channel);
    await need(this.#parts.machine(), "machine").plug(channel);
    if (this.#shut) {
      // As with a grant.
      await this.unplug(channel);
      throw guestGone();
    }
    this.#parts.record({ type: "channel.plugged", measurements: { channel } });
    await this.#tell(channel);
    return null;
  }

  async unplug(channel: string): Promise<null> {
    if (this.#plugged.delete(channel)) await this.#takeAway(channel);
    return null;
  }

  /** Shuts the doors: after this no byte passes either way, whatever the guest does. */
  async revoke(by: "host" | "violation"): Promise<void> {
    this.#shut = true;
    this.#parts.guest()?.hangUp();
    const { book } = this.#parts;
    // All at once: the first thing that each does is to cut its bytes off.
    await Promise.all([
      ...[...this.#plugged].map((name) => this.unplug(name)),
      ...book.names.map(async (name) => {
        await this.#takeAway(name);
        book.closed(name, by);
      }),
    ]);
  }

  /** Tells the agent of a channel, and waits until it has it. */
  async #tell(channel: string): Promise<void> {
    const guest = need(this.#parts.guest(), "handshake");
    await inTime(guest.ask({ type: "channel", name: channel }, "channelOpen", channel));
  }

  async #takeAway(channel: string): Promise<void> {
    await this.#parts
      .machine()
      ?.revoke(channel)
      .catch((error: unknown) => {
        // A VMM that is gone has no doors; anything else must be known.
        if ((error as { code?: string }).code !== "QMP_CLOSED") throw error;
      });
  }
}
