import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EvidenceRecord } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import { ChannelLedger } from "./channels.js";

const EGRESS = "drydock.egress.0";
const SEALED = [
  { name: "drydock.bulk.0", kind: "bulk" },
  { name: EGRESS, kind: "egress" },
];
const ALL: ReadonlySet<Role> = new Set(["controller", "port", "egress"]);

const record = (
  role: Role,
  type: string,
  measurements: EvidenceRecord["measurements"],
  decision: string | null = null,
): EvidenceRecord => ({ role, type, measurements, decision, sequence: 7 }) as EvidenceRecord;

/** A run in which the broker's channel was granted, used and closed as it should be. */
const used = (): EvidenceRecord[] => [
  record("controller", "channel.granted", { channel: EGRESS }),
  record("port", "channel.plugged", { channel: EGRESS }),
  record("egress", "channel.open", { channel: EGRESS }),
  record("egress", "egress.decision", {}, "granted"),
  record("egress", "channel.closed", { channel: EGRESS, toGuest: 5, fromGuest: 3 }, "host"),
  record(
    "controller",
    "channel.bytes",
    { channel: EGRESS, toGuest: 5, fromGuest: 3, portToGuest: 5, portFromGuest: 3 },
    "equal",
  ),
];

const codes = (records: readonly EvidenceRecord[], finished = ALL): readonly string[] => {
  const ledger = new ChannelLedger(SEALED);
  for (const item of records) ledger.observe(item);
  return ledger.findings(finished).map(({ code, file }) => `${code} ${file}`);
};

describe("the broker's channel", () => {
  test("a run that used what it was granted has no finding", () => {
    assert.deepEqual(codes(used()), []);
  });

  test("bytes that the broker counted otherwise are one, of its log", () => {
    const records = used();
    records[4] = record("egress", "channel.closed", { channel: EGRESS, toGuest: 5, fromGuest: 4 });
    assert.deepEqual(codes(records), ["CHANNEL_BYTES logs/egress.jsonl"]);
    // A broker that was killed owes its count; that its log ends early is another finding.
    assert.deepEqual(codes(records, new Set(["controller", "port"])), []);
  });

  test("a port that speaks on it is one, and so is a broker on another's channel", () => {
    const opened = record("port", "channel.open", { channel: EGRESS });
    assert.deepEqual(codes([...used(), opened]), ["CHANNEL_UNSEALED logs/port.jsonl"]);
    const other = record("egress", "channel.open", { channel: "drydock.bulk.0" });
    assert.deepEqual(codes([...used(), other]), ["CHANNEL_UNSEALED logs/egress.jsonl"]);
  });

  test("a decision without a grant on record is one, once the controller has said everything", () => {
    const records = used().slice(1);
    assert.deepEqual(codes(records), ["CHANNEL_UNSEALED logs/egress.jsonl"]);
    assert.deepEqual(codes(records, new Set(["port", "egress"])), []);
  });

  test("a channel that the manifest doesn't list is one, whoever names it", () => {
    const plugged = record("port", "channel.plugged", { channel: "drydock.egress.1" });
    assert.deepEqual(codes([...used(), plugged]), ["CHANNEL_UNSEALED logs/port.jsonl"]);
  });
});
