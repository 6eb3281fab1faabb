import type { CtState, EtherType, Ipv4, Protocol } from "../../model/index.js";

/** A packet under investigation: the check sets one field after the other. */
export interface Header {
  etherType: EtherType | "other";
  sourceMac: string;
  arpMac: string;
  source: Ipv4;
  destination: Ipv4;
  state: CtState;
  protocol: Protocol | "other";
  port: number;
}

export type Field = keyof Header;

/**
 * In the order in which they're decided: what settles most comes first. A frame that isn't bound, or
 * isn't delivered, needs no state; a reply needs no port, and only ICMP has related errors.
 */
export const FIELDS: readonly Field[] = [
  "etherType",
  "sourceMac",
  "arpMac",
  "source",
  "destination",
  "protocol",
  "state",
  "port",
];

/** A set of fields, as bits. */
export type FieldSet = number;

const BITS = Object.fromEntries(FIELDS.map((field, index) => [field, 1 << index])) as Readonly<
  Record<Field, FieldSet>
>;

export const bitOf = (field: Field): FieldSet => BITS[field];

/** Undefined for the empty set. */
export const firstOf = (fields: FieldSet): Field | undefined =>
  FIELDS[31 - Math.clz32(fields & -fields)];
