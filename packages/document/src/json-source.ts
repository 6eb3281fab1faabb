import { type JsonValue, parseJson } from "@drydock/evidence";
import { type JsonPlaces, readJsonPlaces } from "./json-places.js";
import type { Place } from "./report.js";
import type { Source } from "./source.js";

/**
 * JSON in linear time, which YAML isn't read in.
 *
 * @throws JsonError
 */
export const readJson = (bytes: Uint8Array, maxBytes: number): Source => {
  const value: JsonValue = parseJson(bytes, { maxBytes });
  // A file without a finding needs no place but those of its rules: made when first asked for.
  let known: JsonPlaces | undefined;
  const places = (): JsonPlaces => {
    known ??= readJsonPlaces(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return known;
  };
  const toPlace = (offset: number): Place => placeIn(bytes, places().lineStarts, offset);
  const find = (path: readonly PropertyKey[]): JsonPlaces["root"] => {
    let here = places().root;
    for (const step of path) {
      const next = here.members.get(String(step));
      if (next === undefined) break;
      here = next.value;
    }
    return here;
  };
  return {
    value,
    placeOf: (path) => toPlace(find(path).offset),
    keyPlaceOf: (path, key) => {
      const parent = find(path);
      return toPlace(parent.members.get(String(key))?.keyOffset ?? parent.offset);
    },
  };
};

/** For a place that a parser named by its byte. */
export const placeOfByte = (bytes: Uint8Array, offset: number): Place => {
  const starts = [0];
  for (let at = 0; at < offset; at += 1) if (bytes[at] === 0x0a) starts.push(at + 1);
  return placeIn(bytes, starts, offset);
};

const placeIn = (bytes: Uint8Array, lineStarts: readonly number[], offset: number): Place => {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const start = lineStarts[low] ?? 0;
  return {
    line: low + 1,
    // Only for the few that are shown: a program's JSON is often one line, as long as the file.
    get column() {
      return Buffer.from(bytes.subarray(start, offset)).toString("utf8").length + 1;
    },
  };
};
