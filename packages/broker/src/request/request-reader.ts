import type { Reason } from "../decision/reason.js";
import { readField } from "./field.js";
import { createHeadLines } from "./head-lines.js";
import type { Field, HeadLimits, RequestStep } from "./model.js";
import { judgeRequestHead } from "./request-head.js";
import { type RequestLine, readRequestLine } from "./request-line.js";

export interface RequestReader {
  /**
   * The next bytes of a connection. After anything but `more` the reader is done: the next request
   * of the connection needs a new one.
   */
  push(bytes: Uint8Array): RequestStep;
}

/**
 * Reads one request head as it comes. Each line is judged when it ends, so a refusal comes at the
 * same byte however the bytes were cut; the time is linear in them and the memory is one line and
 * the fields, both within `maxHeaderBytes`.
 */
export const createRequestReader = (limits: HeadLimits): RequestReader => {
  let line: Exclude<RequestLine, { kind: "refused" }> | undefined;
  let fault: Reason | undefined;
  let done = false;
  const fields: Field[] = [];

  const onLine = (text: string): boolean => {
    if (line === undefined) {
      const read = readRequestLine(text);
      if (read.kind === "refused") {
        fault = read.reason;
        return false;
      }
      line = read;
      return true;
    }
    const field = readField(text);
    if (field === null) {
      return false;
    }
    fields.push(field);
    return true;
  };
  const scan = createHeadLines(limits.maxHeaderBytes, onLine);

  const step = (bytes: Uint8Array): RequestStep => {
    const scanned = scan(bytes);
    switch (scanned.kind) {
      case "more":
        return scanned;
      case "too-large":
        return { kind: "refused", reason: "HEADER_TOO_LARGE" };
      case "malformed":
        return { kind: "refused", reason: "REQUEST_SYNTAX" };
      case "stopped":
        return { kind: "refused", reason: fault ?? "REQUEST_SYNTAX" };
      case "end": {
        if (line === undefined) {
          return { kind: "refused", reason: "REQUEST_SYNTAX" };
        }
        const head = judgeRequestHead(line, fields);
        return head.kind === "refused" ? head : { ...head, rest: scanned.rest };
      }
    }
  };

  return {
    push: (bytes) => {
      if (done) {
        throw new RangeError("A request reader reads one head; make a new one for the next");
      }
      const result = step(bytes);
      done = result.kind !== "more";
      return result;
    },
  };
};
