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

/**
 * What may be asserted by the key of a process between guest and host: the port sees bytes and hears
 * a guest; the broker sees what it does itself on the network.
 */
const DELEGATED = {
  port: ["BROKER_OBSERVED", "GUEST_ASSERTED"],
  egress: ["HOST_OBSERVED", "BROKER_OBSERVED"],
} as const;
export type DelegatedRole = keyof typeof DELEGATED;

export interface ReceiptOptions {
  readonly run: string;
  readonly layout: RunLayout;
  readonly key: SigningKey;
  readonly clock: LogClock;
  readonly nonce: Uint8Array;
}

/** Another role's log as of one moment: its signed head, and what its channels had carried. */
export interface CountedHead {
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
  constructor(sealed: SealedManifest, options: ReceiptOptions) {
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
  }

  /** Certifies the key that a process has made for this run's log. */
  delegate(role: DelegatedRole, spki: string): void {
    const key = importPublicKey(Buffer.from(spki, "base64"));
    this.record({
      type: "key.delegated",
      measurements: delegationMeasurements(key, role, DELEGATED[role]),
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

  countersign(role: DelegatedRole, { size, root, channels }: CountedHead): void {
    this.record({
      type: "countersign",
      measurements: {
        ...{ role, size, root },
        channels: channels.map((channel) => ({ ...channel })),
      },
      retention: "operational",
    });
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}
