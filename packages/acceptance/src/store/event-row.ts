import { canonicalise, parseJson, shape } from "@drydock/evidence";
import { hexDigest, identifier, millis } from "../contract/fields.js";
import { CONTRACT_STATES, type HexDigest, type TransitionRecord } from "../contract/index.js";
import { requireAuthentic } from "./authentic.js";
import { storeFault } from "./fault.js";
import type { RowMac } from "./mac.js";
import type { AuditEvent } from "./port.js";

/** Each row's MAC takes in the one before, so that there is one history and one order. */
export type EventRow = {
  readonly sequence: number;
  readonly contract_id: string;
  readonly state_version: number;
  readonly record: string;
  readonly contract_digest: string;
  readonly mac: string;
};

/** What the first row follows. */
export const genesis = (mac: RowMac): HexDigest => mac("audit_events", []);

export const eventRow = (
  record: TransitionRecord,
  place: {
    readonly sequence: number;
    readonly previous: HexDigest;
    readonly contractDigest: HexDigest;
  },
  mac: RowMac,
): EventRow => {
  const columns = {
    sequence: place.sequence,
    contract_id: record.contractId,
    state_version: record.stateVersion,
    record: canonicalise(record),
    contract_digest: place.contractDigest,
  };
  return { ...columns, mac: mac("audit_events", [place.previous, ...Object.values(columns)]) };
};

/** @throws DrydockError STORE_INTEGRITY */
export const readEventRow = (row: EventRow, previous: HexDigest, mac: RowMac): AuditEvent => {
  const record = parsed(row.record);
  const place = { sequence: row.sequence, previous, contractDigest: row.contract_digest };
  requireAuthentic("audit_events", row, eventRow(record, place, mac));
  return { ...record, sequence: row.sequence, eventId: `event-${row.sequence}` };
};

const { integer, nullable, object, oneOf } = shape;

const recordReader = object({
  at: millis,
  contractId: identifier,
  operationId: identifier,
  capability: identifier,
  endpointSymbol: identifier,
  httpMethod: identifier,
  targetIdentityDigest: hexDigest,
  intentDigest: hexDigest,
  outcome: oneOf([
    "created",
    "prepared",
    "confirm",
    "acquire",
    "expire",
    "fail",
    "seal-verified",
    "lose-track",
    "begin-rollback",
    "seal-rolled-back",
    "fail-rollback",
    "interrupted",
    "resolve",
  ]),
  previousState: nullable(oneOf(CONTRACT_STATES)),
  currentState: oneOf(CONTRACT_STATES),
  stateVersion: integer(1),
  failureClass: nullable(identifier),
  exceptionClass: nullable(identifier),
  evidenceDigest: nullable(hexDigest),
});

const parsed = (record: string): TransitionRecord => {
  try {
    return recordReader.read(parseJson(Buffer.from(record)), "event");
  } catch (error) {
    throw storeFault("STORE_INTEGRITY", "an event's record isn't one", error);
  }
};
