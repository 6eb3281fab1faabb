import {
  type Event,
  type LogClock,
  type LogWriter,
  type OpenAppendFile,
  openAppendFile,
  openLog,
  type SigningKey,
} from "@drydock/evidence";

export interface LogHead {
  readonly size: number;
  readonly root: string;
  /** The head as a signed note. */
  readonly note: string;
}

/** The log of a process that stands between guest and host, signed with a key that exists in it only. */
export class ProcessLog {
  readonly #files: readonly OpenAppendFile[];
  readonly #log: LogWriter;

  /** The launcher has made both files: the process may write them and no directory. */
  constructor(
    paths: { readonly log: string; readonly checkpoints: string },
    options: {
      readonly role: "port" | "egress";
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
    this.#log = openLog({ ...options, log, checkpoints });
  }

  record(event: Event): void {
    this.#log.append(event);
  }

  checkpoint(): LogHead {
    const { size, root, note } = this.#log.checkpoint();
    return { size, root, note };
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}
