import { type Finding, finding } from "../finding.js";
import type { EvidenceRecord } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import { logFile } from "../run/layout.js";

interface Bytes {
  toGuest: number;
  fromGuest: number;
}

/** Names beyond the manifest's are findings already; this only bounds memory. */
const MAX_CHANNELS = 256;

/**
 * Compares what the controller and the process at a channel's host end counted on it: the broker on
 * a channel of kind `egress`, the port on all others. That process's own log is the second witness:
 * the controller can't report a count that it didn't sign.
 */
export class ChannelLedger {
  /** Whose each sealed channel's host end is. */
  readonly #owners: ReadonlyMap<string, Role>;
  readonly #reported = new Map<string, Bytes>();
  readonly #counted = new Map<string, Bytes>();
  readonly #findings: Finding[] = [];
  readonly #granted = new Set<string>();
  /** The first decision of a broker, which has to have been asked for it over a granted channel. */
  #decision: EvidenceRecord | null = null;

  constructor(sealed: readonly { readonly name: string; readonly kind: string }[]) {
    this.#owners = new Map(
      sealed.map(({ name, kind }) => [name, kind === "egress" ? "egress" : "port"]),
    );
  }

  static readonly types = [
    "channel.granted",
    "channel.open",
    "channel.plugged",
    "channel.bytes",
    "channel.closed",
    "egress.decision",
  ];

  observe(record: EvidenceRecord): void {
    const channel = textOf(record, "channel");
    switch (record.type) {
      case "channel.granted":
        if (this.#granted.size < MAX_CHANNELS) this.#granted.add(channel);
        this.#requireSealed(record, channel);
        return;
      case "channel.plugged":
        this.#requireSealed(record, channel);
        return;
      case "channel.open":
      case "channel.closed":
        this.#requireOwner(record, channel);
        if (record.type === "channel.open") return;
        add(this.#counted, channel, {
          toGuest: numberOf(record, "toGuest"),
          fromGuest: numberOf(record, "fromGuest"),
        });
        return;
      case "channel.bytes":
        this.#compare(record);
        return;
      case "egress.decision":
        this.#decision ??= record;
        return;
    }
  }

  /** Counts that a log which ends early may still owe aren't compared. */
  findings(finished: ReadonlySet<Role>): readonly Finding[] {
    const all = [...this.#findings];
    const complete = finished.has("controller");
    if (this.#decision !== null && complete && !this.#isEgressGranted()) {
      all.push(
        unsealed(this.#decision, "decides about a request, and no channel to a broker was granted"),
      );
    }
    for (const channel of new Set([...this.#reported.keys(), ...this.#counted.keys()])) {
      const owner = this.#owners.get(channel) ?? "port";
      const reported = this.#reported.get(channel);
      const counted = this.#counted.get(channel);
      if (!finished.has(owner) || (reported === undefined && !complete)) continue;
      if (reported?.toGuest !== counted?.toGuest || reported?.fromGuest !== counted?.fromGuest) {
        all.push(
          finding(
            "CHANNEL_BYTES",
            logFile(owner),
            null,
            `${channel}: the ${owner} log has ${show(counted)}, the controller reports ${show(reported)}`,
          ),
        );
      }
    }
    return all;
  }

  #isEgressGranted(): boolean {
    return [...this.#granted].some((channel) => this.#owners.get(channel) === "egress");
  }

  #requireSealed(record: EvidenceRecord, channel: string): void {
    if (!this.#owners.has(channel)) {
      this.#find(record, "CHANNEL_UNSEALED", "names a channel that the manifest doesn't list");
    }
  }

  /** A port that speaks on the broker's channel is as bad as a channel that nobody sealed. */
  #requireOwner(record: EvidenceRecord, channel: string): void {
    const owner = this.#owners.get(channel);
    if (owner === undefined) this.#requireSealed(record, channel);
    else if (owner !== record.role) {
      this.#find(record, "CHANNEL_UNSEALED", `names ${channel}, whose host end is the ${owner}'s`);
    }
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
    if (this.#findings.length < MAX_CHANNELS) this.#findings.push(findingAt(record, code, what));
  }
}

const findingAt = (
  record: EvidenceRecord,
  code: "CHANNEL_BYTES" | "CHANNEL_UNSEALED",
  what: string,
): Finding =>
  finding(code, logFile(record.role), `record ${record.sequence}`, `${record.type} ${what}`);

const unsealed = (record: EvidenceRecord, what: string): Finding =>
  findingAt(record, "CHANNEL_UNSEALED", what);

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
