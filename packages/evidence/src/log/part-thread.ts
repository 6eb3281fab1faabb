import { workerData } from "node:worker_threads";
import { isDrydockError } from "../errors.js";
import { readRecordLine } from "../record/read-line.js";
import type { EvidenceRecord } from "../record/record.js";
import { LogFold, type LogPart } from "./fold.js";
import { wholeLinesOf } from "./lines.js";
import { BUSY, CLOSED, IDLE, type PartReaderData, RANGE, STATE } from "./part-reader.js";
import { RANGE_BYTES, rangeBuffer, readRange } from "./range.js";
import { foldLines } from "./read.js";

const data: PartReaderData = workerData;
const control = new Int32Array(data.control);
const buffer = rangeBuffer();

/** Believes the first line about where it stands; the other thread checks that it fits. */
const readPart = (from: number): LogPart | null => {
  const { lines, offset, rest } = readRange(data.source, from, buffer);
  const [first] = wholeLinesOf(lines, offset);
  if (first === undefined || rest.length > 0) return null;
  const { sequence, prev } = readRecordLine(first.bytes);
  const observed: EvidenceRecord[] = [];
  const fold = new LogFold(data.options, (record) => observed.push(record), { sequence, prev });
  return foldLines(lines, offset, fold) === null ? fold.part(observed) : null;
};

/** Null is no verdict: the other thread reads the range again and says what is wrong with it. */
const readPartOrNull = (from: number): LogPart | null => {
  try {
    return readPart(from);
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    return null;
  }
};

for (;;) {
  Atomics.wait(control, STATE, IDLE);
  if (Atomics.load(control, STATE) === CLOSED) break;
  data.port.postMessage(readPartOrNull((control[RANGE] ?? 0) * RANGE_BYTES));
  Atomics.compareExchange(control, STATE, BUSY, IDLE);
  Atomics.notify(control, STATE);
}
data.port.close();
