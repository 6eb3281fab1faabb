import { PassThrough, Transform } from "node:stream";
import { createCanaryWatch } from "../canary/index.js";
import type { Reason } from "../decision/index.js";
import { type Fields, type Inspection, secretOfSighting } from "../secret/index.js";
import { valuesOf } from "./request-fields.js";
import { createResponseScan } from "./response-scan.js";

/** Ends the whole tunnel because of what was found in it. */
export type Cut = (reason: Reason, finding: string) => void;

/** Watches a request's body on its way. What was found part by part is with the upstream already. */
export const watchBody = ({ outbound }: Inspection, cut: Cut): Transform => {
  if (outbound.meanings.length === 0) return new PassThrough();
  const watch = createCanaryWatch(outbound);
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      const [sighting] = watch.push(chunk);
      if (sighting === undefined) return done(null, chunk);
      const secret = secretOfSighting(sighting.canary);
      cut(secret === null ? "CANARY" : "SECRET_ELSEWHERE", secret ?? sighting.canary);
    },
  });
};

/** Searches a response's body; nothing of a secret goes on, whatever the chunks. */
export const scanBody = ({ inbound }: Inspection, cut: Cut): Transform => {
  if (inbound.meanings.length === 0) return new PassThrough();
  const scan = createResponseScan(inbound);
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      const scanned = scan.push(chunk);
      switch (scanned.kind) {
        case "clear":
          return done(null, scanned.bytes.length === 0 ? undefined : scanned.bytes);
        case "found":
          cutBySighting(scanned.id, cut);
      }
    },
    flush(done) {
      done(null, scan.end());
    },
  });
};

const cutBySighting = (id: string, cut: Cut): void => {
  const secret = secretOfSighting(id);
  cut(secret === null ? "CANARY" : "RESPONSE_HAS_SECRET", secret ?? id);
};

/** Searches fields that come at once: a response's head, or its trailers. True when they may go on. */
export const scanFields = ({ inbound }: Inspection, fields: Fields, cut: Cut): boolean => {
  const scan = createResponseScan(inbound);
  for (const [name, value] of fields) {
    // The line breaks keep a value apart from the next field's name.
    const scanned = scan.push(Buffer.from(`${name}: ${value}\r\n\r\n`, "latin1"));
    if (scanned.kind === "found") {
      cutBySighting(scanned.id, cut);
      return false;
    }
  }
  return true;
};

/** A coding hides what is searched for; only `chunked` is taken off before. */
export const isReadable = ({ here }: Inspection, fields: Fields): boolean =>
  here.length === 0 ||
  valuesOf(fields, "content-encoding").every((value) => value.trim().toLowerCase() === "identity");
