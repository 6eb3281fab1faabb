/** One member of the guest's archive as its header states it; nothing in it is trusted yet. */
export interface TarEntry {
  readonly type: "file" | "directory" | "link" | "hard-link" | "device";
  /** Raw bytes, with the one trailing "/" of a directory removed. */
  readonly path: Buffer;
  readonly target: Buffer;
  readonly size: number;
  readonly mode: number;
  /** A pax key that changes what the entry means and that we don't know. */
  readonly unknownKey: string | undefined;
}

/** The archive cannot be read any further. */
export class TarError extends Error {
  override readonly name = "TarError";
  readonly rule: "TAR_MALFORMED" | "TAR_TRUNCATED" | "TAR_TRAILING_DATA" | "STREAM_LIMIT";

  constructor(rule: TarError["rule"], message: string) {
    super(message);
    this.rule = rule;
  }
}
