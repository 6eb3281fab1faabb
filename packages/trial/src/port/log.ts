import {
  type Event,
  type LogClock,
  type LogWriter,
  type OpenAppendFile,
  openAppendFile,
  openLog,
  type SigningKey,
} from "@drydock/evidence";

/** The port's own log, signed with a key that exists in this process only. */
export class PortLog {
  readonly #files: readonly OpenAppendFile[];
  readonly #log: LogWriter;

  /** The launcher has made both files: this process may write them and no directory. */
  constructor(
    paths: { readonly log: string; readonly checkpoints: string },
    options: {
      readonly run: string;
      readonly manifest: string;
      readonly key: SigningKey;
      readonly clock: LogClock;
      readonly nonce: Uint8Array;
    },
  ) {
    const log = openAppendFile(paths.log, "extend");
    const checkpoints = openAppendFile(paths.checkpoints, "extend");
    this.#files = [log, checkpoints];
    this.#log = openLog({ ...options, role: "port", log, checkpoints });
  }

  record(event: Event): void {
    this.#log.append(event);
  }

  checkpoint(): { readonly size: number; readonly root: string; readonly note: string } {
    const { size, root, note } = this.#log.checkpoint();
    return { size, root, note };
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}
