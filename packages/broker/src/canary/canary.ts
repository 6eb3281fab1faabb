/** A value that nothing honest sends anywhere, planted where a thief would look. */
export interface Canary {
  /** Names it in findings: `[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}`. Never the value itself. */
  readonly id: string;
  /** ASCII, at least `MIN_CANARY_LENGTH` bytes. */
  readonly value: string;
}

/** What a value looked like where it was seen. */
export type CanaryEncoding = "plain" | "utf-16" | "hex" | "base64" | "base32";

/** Layer that was taken off before the value was seen: escapes of one kind, or line breaks. */
export type CanaryLayer = "none" | "percent" | "lines" | "json" | "html";

export interface CanarySighting {
  readonly canary: string;
  readonly encoding: CanaryEncoding;
  readonly layer: CanaryLayer;
  /** Offset behind the last byte of the sighting, counted over the whole stream. */
  readonly end: number;
}

/** Shorter values are met by chance, once every encoding and case is searched for. */
export const MIN_CANARY_LENGTH = 12;

/** Bounds the automaton: about twenty states for each byte of a value. */
export const MAX_CANARY_LENGTH = 1024;
export const MAX_CANARIES = 64;
