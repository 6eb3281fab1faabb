import type { Duplex } from "node:stream";
import { DrydockError } from "@drydock/evidence";
import { formatAuthority } from "../authority/authority.js";
import { REASONS, type Reason } from "../decision/index.js";
import type { EgressGrant } from "../policy/index.js";
import { resetStream } from "../tunnel/index.js";
import { Connection } from "./connection.js";
import { hasDecisionsLeft } from "./has-decisions-left.js";
import { hasRoom } from "./has-room.js";
import { closeWith } from "./linger.js";
import type { Broker, BrokerCounters, BrokerOptions } from "./model.js";
import type { EgressReceipt } from "./receipt.js";
import { refusalBytes } from "./refusal.js";
import { createSlots, type Slots } from "./slots.js";

/** Two descriptors each; more at once would only make resolvers drop questions. */
export const MAX_LOOKUPS = 64;
const SHED_RECEIPT_MS = 1_000;

/**
 * A run makes hundreds. Refusals of so many take 150 MB and grants twice that: a log that `drydock
 * verify` still reads, and no full disk.
 */
const MAX_DECISIONS = 200_000;

/** Stages at which a tunnel's end is a denial of what it carried or asked for. */
const DENIED_AFTER_GRANT: ReadonlySet<Reason> = new Set(
  (Object.keys(REASONS) as Reason[]).filter((reason) => REASONS[reason].stage === "hello"),
);

/**
 * @throws DrydockError EGRESS_TERMINATION when the policy asks for termination and nothing here can
 *   do it.
 */
export const createBroker = (options: BrokerOptions): Broker => {
  const terminates = options.terminates ?? needsTermination;
  const unserved = options.policy.grants.find((grant) => terminates(grant));
  if (unserved !== undefined && options.terminate === undefined) {
    throw new DrydockError(
      "EGRESS_TERMINATION",
      `${formatAuthority(unserved.authority)} asks for TLS termination, which isn't offered here`,
      { fix: "Take requests and terminate out of the policy, or use it with drydock run." },
    );
  }
  return new Service({ ...options, terminates });
};

/** Requests of the protocol `http` are in the clear, and their rules are judged without it. */
const needsTermination = ({ protocol, terminate, requests }: EgressGrant): boolean =>
  terminate || (requests !== null && protocol !== "http");

type ServiceOptions = BrokerOptions & { readonly terminates: (grant: EgressGrant) => boolean };

class Service implements Broker {
  readonly #options: ServiceOptions;
  readonly #lookups: Slots;
  readonly #connections = new Set<Connection>();
  readonly #work = new Set<Promise<void>>();
  readonly #clients = new Set<Duplex>();
  readonly #refusals = new Map<Reason, number>();
  #counts = { connections: 0, granted: 0, denied: 0, shed: 0, bytesUp: 0, bytesDown: 0 };
  #decisions = 0;
  #shedUnwritten = 0;
  #cancelShed: () => void = () => undefined;
  #revoked = false;
  #broken = false;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#lookups = createSlots(options.maxLookups ?? MAX_LOOKUPS);
  }

  get counters(): BrokerCounters {
    return { ...this.#counts, live: this.#clients.size, refusals: this.#refusals };
  }

  accept(client: Duplex): void {
    // A client that goes away at the wrong moment must not take the process with it.
    client.on("error", () => undefined);
    client.pause();
    if (this.#revoked) {
      this.#turnAway(client, "HALTED");
      return;
    }
    if (!hasRoom(this.#connections.size, this.#options.policy.limits.maxConnections)) {
      this.#turnAway(client, "CAPACITY");
      return;
    }
    this.#counts.connections += 1;
    this.#hold(client);
    const connection = new Connection(client, {
      ...this.#options,
      lookups: this.#lookups,
      number: this.#counts.connections,
      write: (receipt) => this.#write(receipt),
    });
    this.#connections.add(connection);
    client.once("close", () => this.#connections.delete(connection));
    const work = connection.serve().catch((error) => this.#break(error));
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  shed(): void {
    this.#counts.shed += 1;
    this.#shedUnwritten += 1;
    if (this.#shedUnwritten > 1) return;
    this.#cancelShed = this.#options.timers.after(SHED_RECEIPT_MS, () => this.#writeShed());
  }

  revoke(): void {
    this.#revoked = true;
    for (const connection of this.#connections) connection.revoke();
    for (const client of this.#clients) resetStream(client);
  }

  async close(): Promise<void> {
    this.revoke();
    await Promise.all(this.#work);
    this.#writeShed();
  }

  #hold(client: Duplex): void {
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
  }

  #turnAway(client: Duplex, reason: Reason): void {
    this.#hold(client);
    this.#count(reason);
    this.shed();
    closeWith(client, refusalBytes(reason), this.#options.timers);
  }

  #writeShed(): void {
    this.#cancelShed();
    const count = this.#shedUnwritten;
    this.#shedUnwritten = 0;
    if (count > 0) this.#write({ kind: "shed", count, live: this.#clients.size });
  }

  #write(receipt: EgressReceipt): boolean {
    if (receipt.kind === "decision" || receipt.kind === "request") {
      const { maxDecisions = MAX_DECISIONS } = this.#options;
      if (!hasDecisionsLeft(this.#decisions, maxDecisions)) {
        this.#append({ ...receipt, reason: "DECISIONS" });
        this.revoke();
        return false;
      }
      this.#decisions += 1;
    }
    return this.#append(receipt);
  }

  #append(receipt: EgressReceipt): boolean {
    this.#countReceipt(receipt);
    if (this.#broken) return false;
    try {
      this.#options.receipts(receipt);
      return true;
    } catch (error) {
      this.#break(error);
      return false;
    }
  }

  /** What can't be recorded doesn't happen. */
  #break(error: unknown): void {
    if (this.#broken) return;
    this.#broken = true;
    this.revoke();
    this.#options.onBroken?.(error);
  }

  #countReceipt(receipt: EgressReceipt): void {
    switch (receipt.kind) {
      case "decision":
      case "request":
        if (receipt.reason !== "GRANTED") this.#count(receipt.reason);
        else if (receipt.kind === "decision") this.#counts.granted += 1;
        return;
      case "closed":
        this.#counts.bytesUp += receipt.up;
        this.#counts.bytesDown += receipt.down;
        if (DENIED_AFTER_GRANT.has(receipt.reason)) this.#count(receipt.reason);
        return;
      case "shed":
        return;
    }
  }

  #count(reason: Reason): void {
    this.#counts.denied += 1;
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
  }
}
