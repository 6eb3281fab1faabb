import { DrydockError, digestOf, type Instant } from "@drydock/evidence";
import { type HaltListing, type HaltSignatureCheck, judgeHalt } from "./judge.js";
import { type HaltPlace, listHaltPlace, writeHaltRecord } from "./place.js";
import {
  encodeHaltRecord,
  type HaltRecord,
  type HaltSignature,
  type HaltStatement,
  parseHaltRecord,
  statementBytes,
} from "./record.js";

/** Writers that take each other's number try again; this many in a row is no coincidence. */
const MAX_ATTEMPTS = 20;

/**
 * Stops everything new at once and durably; killing what runs is the caller's next step. Asking
 * again while halted writes another record, so that the second reason is on record too.
 *
 * @throws DrydockError HALT_MALFORMED when the place is unreadable (it counts as halted then, but
 * can't take a record), HALT_UNWRITABLE, also when it is somebody else's.
 */
export const haltOn = (place: HaltPlace, reason: string, at: Instant): HaltRecord => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const record: HaltRecord = { ...nextStatement(place, "on", reason, at), signature: null };
    if (write(place, record)) return record;
  }
  throw busy(place);
};

/**
 * The statement that would lift the present halt, for whoever holds the key.
 *
 * @throws DrydockError HALT_NOT_ON, HALT_MALFORMED, HALT_UNWRITABLE
 */
export const proposeHaltOff = (
  place: HaltPlace,
  reason: string,
  at: Instant,
  check: HaltSignatureCheck,
): HaltStatement => {
  const statement = nextStatement(place, "off", reason, at);
  if (judgeHalt(listHaltPlace(place), check).kind === "clear") {
    throw new DrydockError("HALT_NOT_ON", `there is no halt at ${place.path}`, {
      fix: "See `drydock halt status`: there are two places, this state directory's and the machine's.",
    });
  }
  return statement;
};

/**
 * Lifts the halt that the statement names, and only that one.
 *
 * @throws DrydockError HALT_SIGNATURE when no trusted key signed it, HALT_MOVED when the state has
 * changed since the statement was made.
 */
export const haltOff = (
  place: HaltPlace,
  statement: HaltStatement,
  signature: HaltSignature,
  check: HaltSignatureCheck,
): HaltRecord => {
  const record: HaltRecord = { ...statement, state: "off", signature };
  if (!check(statementBytes(record), signature, record.at)) {
    throw new DrydockError("HALT_SIGNATURE", "halt off is not signed by a key trusted for `halt`", {
      fix: "Sign with a key that is listed for namespace halt: drydock keys list",
    });
  }
  const expected = nextStatement(place, "off", record.reason, record.at);
  const current =
    record.generation === expected.generation && record.previous === expected.previous;
  if (!current || !write(place, record)) {
    throw new DrydockError("HALT_MOVED", "the halt state has changed since this was signed", {
      fix: "Look at: drydock halt status. Then sign a new statement.",
    });
  }
  return record;
};

const nextStatement = (
  place: HaltPlace,
  state: "on" | "off",
  reason: string,
  at: Instant,
): HaltStatement => {
  const newest = newestBytes(place, listHaltPlace(place));
  return {
    schema: "drydock.halt/v1",
    generation: newest === null ? 1 : newest.generation + 1,
    state,
    reason,
    at,
    previous: newest === null ? null : digestOf(newest.bytes),
  };
};

const newestBytes = (
  place: HaltPlace,
  listing: HaltListing,
): { bytes: Uint8Array; generation: number } | null => {
  switch (listing.kind) {
    case "absent":
      return null;
    case "unreadable":
      throw listing.forbidden ? forbidden(place, listing.why) : malformed(place, listing.why);
    case "records":
      // An untrusted `off` may be followed; a record that doesn't parse has no successor.
      return { bytes: listing.newest, generation: parseHaltRecord(listing.newest).generation };
  }
};

const write = (place: HaltPlace, record: HaltRecord): boolean => {
  const bytes = encodeHaltRecord(record);
  // What is written must be readable as a halt record, or the reason was too long, say.
  parseHaltRecord(bytes);
  return writeHaltRecord(place, record.generation, bytes);
};

const malformed = (place: HaltPlace, why: string): DrydockError =>
  new DrydockError("HALT_MALFORMED", `halt: ${why}`, {
    fix: `It counts as a halt. Look at ${place.path} and move away what isn't a halt record.`,
  });

const forbidden = (place: HaltPlace, why: string): DrydockError =>
  new DrydockError("HALT_UNWRITABLE", `halt: ${why}`, {
    fix: `Nothing was changed. Do it as the user whom ${place.path} belongs to: root, for runs.`,
  });

const busy = (place: HaltPlace): DrydockError =>
  new DrydockError("HALT_BUSY", `others keep writing to ${place.path}`, { fix: "Try again." });
