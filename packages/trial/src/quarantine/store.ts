/** Where accepted contents go. Their name is their digest, which is known only at their end. */
export interface ArtifactStore {
  begin(): Promise<ArtifactSink>;
}

export interface ArtifactSink {
  write(chunk: Buffer): Promise<void>;
  /** Makes the contents durable under `name`, 64 hex digits. */
  commit(name: string): Promise<void>;
  /** Forgets what was written. */
  discard(): Promise<void>;
}

/** Looks at contents as they pass, for planted secrets; what it finds becomes a receipt. */
export interface ContentWatch {
  /** Starts a file; the returned function sees every chunk in order. */
  begin(path: string): (chunk: Buffer) => void;
}
