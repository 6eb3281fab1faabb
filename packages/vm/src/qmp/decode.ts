import { isJsonObject, quote } from "@drydock/evidence";
import { vmError } from "../errors.js";

/**
 * The VMM may be the attacker after an escape: its words are bounded before they are parsed. Floats
 * and unknown keys are QEMU's own habit here, so this isn't the evidence format's parser; each
 * command picks out the few members that it needs and checks those.
 */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** The deepest answer used here (query-block) nests 9 levels. */
const MAX_DEPTH = 32;
const MAX_PIECES = 64;

export type QmpFrame =
  | { readonly kind: "greeting"; readonly version: string }
  | { readonly kind: "return"; readonly id: number; readonly value: QmpValue }
  | { readonly kind: "error"; readonly id: number; readonly class: string; readonly text: string }
  | { readonly kind: "event"; readonly name: string; readonly data: QmpObject };

/** JSON with any number: what QEMU sends. */
export type QmpValue = null | boolean | number | string | readonly QmpValue[] | QmpObject;
export interface QmpObject {
  readonly [key: string]: QmpValue;
}

/** Cuts a byte stream into lines of at most MAX_FRAME_BYTES. @throws DrydockError QMP_PROTOCOL */
export class LineSplitter {
  #pending: Buffer[] = [];
  #size = 0;

  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
      this.#size += piece.length;
      if (this.#size > MAX_FRAME_BYTES) throw protocol(`a line exceeds ${MAX_FRAME_BYTES} bytes`);
      if (piece.length > 0) this.#pending.push(piece);
      // A byte at a time would cost a hundred times its size: keep few pieces.
      if (this.#pending.length > MAX_PIECES) this.#pending = [Buffer.concat(this.#pending)];
      if (end === -1) return;
      const line = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#size = 0;
      start = end + 1;
      if (line.length > 0) yield line;
    }
  }
}

/** Parses one line. @throws DrydockError QMP_PROTOCOL */
export const decodeFrame = (line: Buffer): QmpFrame => {
  const object = parseObject(line);
  if ("QMP" in object) return { kind: "greeting", version: readVersion(object["QMP"]) };
  if (typeof object["event"] === "string") {
    const data = object["data"];
    return { kind: "event", name: object["event"], data: isObject(data) ? data : {} };
  }
  const id = object["id"];
  const failed = object["error"];
  if (typeof id !== "number" || !Number.isSafeInteger(id)) {
    // QEMU answers a command that it couldn't parse without an id: then we sent nonsense.
    throw protocol(`an answer without an id: ${quote(line.toString("utf8", 0, 200))}`);
  }
  if (isObject(failed) && !("return" in object)) {
    const [name, text] = [failed["class"], failed["desc"]];
    if (typeof name !== "string" || typeof text !== "string") throw protocol("a malformed error");
    return { kind: "error", id, class: name, text };
  }
  const value = object["return"];
  if (value === undefined || failed !== undefined) throw protocol("neither answer nor event");
  return { kind: "return", id, value };
};

export const isObject = (value: QmpValue | undefined): value is QmpObject =>
  value !== undefined && isJsonObject(value as never);

export const protocol = (what: string): Error =>
  vmError("QMP_PROTOCOL", `the VMM broke the monitor protocol: ${what}`);

const parseObject = (line: Buffer): QmpObject => {
  if (depthOf(line) > MAX_DEPTH) throw protocol(`nested deeper than ${MAX_DEPTH}`);
  let value: QmpValue;
  try {
    value = JSON.parse(line.toString("utf8")) as QmpValue;
  } catch {
    // The parser's message quotes the text, which is the attacker's.
    throw protocol("not JSON");
  }
  if (!isObject(value)) throw protocol("not an object");
  return value;
};

/** Counts brackets outside strings, so that JSON.parse never recurses deeper than was allowed. */
const depthOf = (line: Buffer): number => {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return deepest;
};

const readVersion = (greeting: QmpValue | undefined): string => {
  const version = isObject(greeting) ? greeting["version"] : undefined;
  const qemu = isObject(version) ? version["qemu"] : undefined;
  const parts = isObject(qemu) ? [qemu["major"], qemu["minor"], qemu["micro"]] : [];
  if (parts.length !== 3 || !parts.every(Number.isSafeInteger)) throw protocol("a bad greeting");
  return parts.join(".");
};
