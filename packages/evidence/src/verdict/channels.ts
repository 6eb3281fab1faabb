import { type Finding, finding } from "../finding.js";
import type { EvidenceRecord } from "../record/record.js";

interface Bytes {
  toGuest: number;
  fromGuest: number;
}

/** Names beyond the manifest's are findings already; this only bounds memory. */
const MAX_CHANNELS = 256;

/**
 * Compares what the controller and the port counted on each channel. The port's own log is the
 * second witness: the controller can't report a port count that the port didn't sign.
 */
export class ChannelLedger {
  readonly #sealed: ReadonlySet<string>;
  readonly #reported = new Map<string, Bytes>();
  readonly #port = new Map<string, Bytes>();
  readonly #findings: Finding[] = [];

  constructor(sealed: readonly string[]) {
    this.#sealed = new Set(sealed);
  }

  static readonly types = ["channel.granted", "channel.open", "channel.bytes", "channel.closed"];

  observe(record: EvidenceRecord): void {
    switch (record.type) {
      case "channel.granted":
      case "channel.open":
        if (!this.#sealed.has(textOf(record, "channel"))) {
          this.#find(record, "CHANNEL_UNSEALED", "opens a channel that the manifest doesn't list");
        }
        return;
      case "channel.bytes":
        this.#compare(record);
        return;
      case "channel.closed":
        add(this.#port, textOf(record, "channel"), {
          toGuest: numberOf(record, "toGuest"),
          fromGuest: numberOf(record, "fromGuest"),
        });
        return;
    }
  }

  /** Counts that a log which ends early may still owe aren't compared. */
  findings(finished: { readonly controller: boolean; readonly port: boolean }): readonly Finding[] {
    const all = [...this.#findings];
    if (!finished.port) return all;
    for (const channel of new Set([...this.#reported.keys(), ...this.#port.keys()])) {
      const reported = this.#reported.get(channel);
      const counted = this.#port.get(channel);
      if (reported === undefined && !finished.controller) continue;
      if (reported?.toGuest !== counted?.toGuest || reported?.fromGuest !== counted?.fromGuest) {
        all.push(
          finding(
            "CHANNEL_BYTES",
            "logs/port.jsonl",
            null,
            `${channel}: the port counted ${show(counted)}, the controller reports ${show(reported)}`,
          ),
        );
      }
    }
    return all;
  }

  #compare(record: EvidenceRecord): void {
    const own = {
      toGuest: numberOf(record, "toGuest"),
      fromGuest: numberOf(record, "fromGuest"),
    };
    const port = {
      toGuest: numberOf(record, "portToGuest"),
      fromGuest: numberOf(record, "portFromGuest"),
    };
    const equal = own.toGuest === port.toGuest && own.fromGuest === port.fromGuest;
    if (equal !== (record.decision === "equal")) {
      this.#find(record, "CHANNEL_BYTES", `says ${record.decision}, its numbers say otherwise`);
    }
    const channel = textOf(record, "channel");
    add(this.#reported, channel, port);
  }

  #find(record: EvidenceRecord, code: "CHANNEL_BYTES" | "CHANNEL_UNSEALED", what: string): void {
    if (this.#findings.length >= MAX_CHANNELS) return;
    this.#findings.push(
      finding(
        code,
        `logs/${record.role}.jsonl`,
        `record ${record.sequence}`,
        `${record.type} ${what}`,
      ),
    );
  }
}

const add = (sums: Map<string, Bytes>, channel: string, bytes: Bytes): void => {
  const sum = sums.get(channel);
  if (sum !== undefined) {
    sum.toGuest += bytes.toGuest;
    sum.fromGuest += bytes.fromGuest;
  } else if (sums.size < MAX_CHANNELS) {
    sums.set(channel, { ...bytes });
  }
};

const show = (bytes: Bytes | undefined): string =>
  bytes === undefined ? "nothing" : `${bytes.toGuest} in and ${bytes.fromGuest} out`;

// The event types require these, so the alternatives never happen in a record that got here.
const textOf = (record: EvidenceRecord, name: string): string => {
  const value = record.measurements[name];
  return typeof value === "string" ? value : "";
};
const numberOf = (record: EvidenceRecord, name: string): number => {
  const value = record.measurements[name];
  return typeof value === "number" ? value : -1;
};
