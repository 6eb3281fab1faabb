import type { CtState, EtherType, Ipv4, Packet, Protocol } from "../model/index.js";
import { bitOf, type FieldSet, type Header } from "./kernel/field.js";
import type { Way } from "./kernel/visit.js";

const ETHER_TYPE = bitOf("etherType");
const SOURCE_MAC = bitOf("sourceMac");
const ARP_MAC = bitOf("arpMac");
const SOURCE = bitOf("source");
const DESTINATION = bitOf("destination");
const STATE = bitOf("state");
const PROTOCOL = bitOf("protocol");
const PORT = bitOf("port");

/**
 * A packet that notes which header fields somebody looks at: an answer that was given without
 * looking at a field holds for every value of it. So the meaning needs no knowledge of partitions.
 */
export class Reading implements Packet {
  /** Looked at since this was last cleared. */
  read: FieldSet = 0;
  readonly path: Packet["path"];
  readonly inPort: string | null;
  readonly inBridge: string | null;
  readonly inInterface: string | null;
  readonly outPort: string | null;
  readonly outBridge: string | null;
  readonly outInterface: string | null;
  readonly #header: Header;

  constructor(way: Way, header: Header) {
    this.path = way.path;
    this.inPort = way.inPort;
    this.inBridge = way.inBridge;
    this.inInterface = way.inInterface;
    this.outPort = way.outPort;
    this.outBridge = way.outBridge;
    this.outInterface = way.outInterface;
    this.#header = header;
  }

  get etherType(): EtherType | "other" {
    this.read |= ETHER_TYPE;
    return this.#header.etherType;
  }
  get sourceMac(): string {
    this.read |= SOURCE_MAC;
    return this.#header.sourceMac;
  }
  get arpMac(): string {
    this.read |= ARP_MAC;
    return this.#header.arpMac;
  }
  get source(): Ipv4 {
    this.read |= SOURCE;
    return this.#header.source;
  }
  get destination(): Ipv4 {
    this.read |= DESTINATION;
    return this.#header.destination;
  }
  get state(): CtState {
    this.read |= STATE;
    return this.#header.state;
  }
  get protocol(): Protocol | "other" {
    this.read |= PROTOCOL;
    return this.#header.protocol;
  }
  get port(): number {
    this.read |= PORT;
    return this.#header.port;
  }

  /** The packet as it is now. */
  copy(way: Way): Packet {
    return { ...way, ...this.#header };
  }
}
