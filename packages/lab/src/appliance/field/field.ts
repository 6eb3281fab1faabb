import type { JsonValue } from "@drydock/evidence";
import type { Configuration, Stored } from "../configuration/index.js";

/** Who sends the request. */
export interface Client {
  readonly username: string;
  readonly address: string;
}

/** What a rule about a value may look at besides the value. */
export interface Surroundings {
  readonly configuration: Configuration;
  /** The object as requested, and as far as it was validated. */
  readonly object: Stored;
  /** As it is stored; null for a new one. */
  readonly initial: Stored | null;
  readonly client: Client;
  /** Since 1970. */
  readonly seconds: number;
  /** 64 bytes for whatever has to be unguessable. */
  readonly entropy: Uint8Array;
}

/** Refuses one value by throwing. Of a list, each of its values is asked about. */
type Rule<T> = (value: T, surroundings: Surroundings, field: Field) => void;

/** One field of a model, in the package's own terms. */
export interface Field {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean";
  /** Values in a list; how the configuration file keeps them apart, or null where it has a list. */
  readonly many?: { readonly delimiter: string | null; readonly minimum: number };
  readonly required?: true;
  /** Taken for null. */
  readonly fallback?: JsonValue;
  readonly allowNull?: true;
  readonly allowEmpty?: true;
  readonly choices?: readonly JsonValue[];
  readonly unique?: true;
  readonly editable?: false;
  /** Never the client's: what it is at this moment, and whether a change renews it. */
  readonly automatic?: {
    readonly renewed: boolean;
    readonly value: (surroundings: Surroundings) => JsonValue;
  };
  /** Not shown. */
  readonly sensitive?: true;
  /** Bytes; 1,024 unless given. */
  readonly maxLength?: number;
  readonly range?: readonly [number, number];
  /** Of other fields: unless each has one of these values, this one is null. */
  readonly conditions?: Readonly<Record<string, readonly JsonValue[]>>;
  /** With the value alone. */
  readonly check?: Rule<string>;
  /** After all fields were checked. */
  readonly verify?: Rule<JsonValue>;
}

type FieldOptions = Omit<Field, "name" | "type">;

export const text = (name: string, options: FieldOptions = {}): Field => ({
  name,
  type: "string",
  ...options,
});

/** A remark: may be empty, and is unless given. */
export const remark = (name: string, options: FieldOptions = {}): Field =>
  text(name, { fallback: "", allowEmpty: true, ...options });

export const flag = (name: string, fallback: boolean, options: FieldOptions = {}): Field => ({
  name,
  type: "boolean",
  fallback,
  ...options,
});

export const integer = (name: string, options: FieldOptions = {}): Field => ({
  name,
  type: "integer",
  ...options,
});
