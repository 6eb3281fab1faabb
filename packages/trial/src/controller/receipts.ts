import { writeFileSync } from "node:fs";
import {
  DrydockError,
  delegationMeasurements,
  type Event,
  importPublicKey,
  type LogClock,
  type LogWriter,
  type OpenAppendFile,
  openAppendFile,
  openLog,
  type SealedManifest,
  type SigningKey,
} from "@drydock/evidence";
import type { ChannelBytes } from "../contract/index.js";
import type { RunLayout } from "../home/index.js";

/** What may be asserted by the key of a port process, which sees bytes and hears a guest. */
const PORT_CLASSES = ["BROKER_OBSERVED", "GUEST_ASSERTED"] as const;

export interface ReceiptOptions {
  readonly run: string;
  readonly layout: RunLayout;
  readonly key: SigningKey;
  readonly clock: LogClock;
  readonly nonce: Uint8Array;
}

/** The port's log as of one moment: its signed head, and what each channel had carried. */
export interface PortHead {
  readonly size: number;
  readonly root: string;
  readonly channels: readonly ChannelBytes[];
}

/** The controller's log of one run, from the sealed manifest to the terminal record. */
export class Receipts {
  readonly #files: readonly OpenAppendFile[];
  readonly #log: LogWriter;
  #ended = false;

  /** Stores the manifest and begins the log that is bound to it. */
  constructor(sealed: SealedManifest, portSpki: string, options: ReceiptOptions) {
    const { layout, run, key, clock, nonce } = options;
    writeFileSync(layout.manifest, sealed.bytes, { mode: 0o600, flag: "wx" });
    const paths = layout.log("controller");
    const log = openAppendFile(paths.log, "create");
    const checkpoints = openAppendFile(paths.checkpoints, "create");
    this.#files = [log, checkpoints];
    this.#log = openLog({
      run,
      role: "controller",
      manifest: sealed.digest,
      key,
      clock,
      nonce,
      log,
      checkpoints,
    });
    const port = importPublicKey(Buffer.from(portSpki, "base64"));
    this.record({
      type: "key.delegated",
      measurements: delegationMeasurements(port, "port", PORT_CLASSES),
    });
  }

  /**
   * @throws DrydockError LOG_ENDED after the terminal record: what a task says that was given up
   *   comes too late, and the terminal record already names it as a doubt.
   */
  record(event: Event): void {
    if (this.#ended) throw new DrydockError("LOG_ENDED", `${event.type} after the end of the log`);
    this.#log.append(event);
    this.#ended = event.type === "run.end";
  }

  get ended(): boolean {
    return this.#ended;
  }

  checkpoint(): void {
    this.#log.checkpoint();
  }

  countersign(port: PortHead): void {
    this.record({
      type: "countersign",
      measurements: {
        role: "port",
        size: port.size,
        root: port.root,
        channels: port.channels.map((channel) => ({ ...channel })),
      },
      retention: "operational",
    });
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}
