import type { BodyReader } from "../body-reader.js";
import type { RequestStep, ResponseStep } from "../model.js";

export const octets = (text: string): Uint8Array => Buffer.from(text, "latin1");
export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** The bytes in pieces that end at the cuts; cuts beyond the end or out of order are fine. */
export const cutAt = (bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] => {
  const ends = [...new Set([...cuts, bytes.length])]
    .filter((cut) => cut <= bytes.length)
    .sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

/** Pushes piece after piece until the reader is done; `rest` is all that it didn't take. */
export const drive = <Step extends RequestStep | ResponseStep>(
  reader: { push(bytes: Uint8Array): Step },
  pieces: readonly Uint8Array[],
): Step => {
  let step: Step | undefined;
  for (const [index, piece] of pieces.entries()) {
    step = reader.push(piece);
    if (step.kind !== "more") {
      const later = pieces.slice(index + 1);
      return "rest" in step ? { ...step, rest: Buffer.concat([step.rest, ...later]) } : step;
    }
  }
  return step ?? reader.push(new Uint8Array(0));
};

export interface Content {
  readonly outcome: "more" | "end" | "refused";
  readonly content: string;
  readonly rest: string;
}

/** The same for content. What came before a refusal isn't compared: where it is cut varies. */
export const driveBody = (reader: BodyReader, pieces: readonly Uint8Array[]): Content => {
  let content = "";
  for (const [index, piece] of pieces.entries()) {
    const step = reader.push(piece);
    if (step.kind === "refused") {
      return { outcome: "refused", content: "", rest: "" };
    }
    content += step.data.map(text).join("");
    if (step.kind === "end") {
      const rest = Buffer.concat([step.rest, ...pieces.slice(index + 1)]);
      return { outcome: "end", content, rest: text(rest) };
    }
  }
  return { outcome: "more", content, rest: "" };
};
