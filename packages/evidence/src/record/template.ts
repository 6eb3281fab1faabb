import { type LineView, type Literal, literal } from "./literal.js";
import {
  NO,
  type Position,
  scanDigest,
  scanId,
  scanInstant,
  scanInteger,
  scanText,
} from "./scan-bytes.js";

/** What may change from one record to the next, and what it has to be then. */
export type SpanKind = "count" | "id" | "digest" | "text" | "instant";

export interface Span {
  readonly from: Position;
  readonly to: Position;
  readonly kind: SpanKind;
}

interface Template<T> {
  readonly fixed: readonly { readonly at: Position; readonly bytes: Literal }[];
  readonly spans: readonly Span[];
  readonly learned: T;
  hits: number;
  misses: number;
}

/** Of a hostile log every line could have its own length. */
const MAX_TEMPLATES = 64;
/** Misses beyond the hits after which a template is given up for a newer line. */
const PATIENCE = 8;

/**
 * Lines of a log mostly repeat one another in all but numbers, digests and times. A line as long
 * as one that was read before, equal to it outside those, has its fields in the same places.
 */
export class LineTemplates<T> {
  readonly #view: LineView;
  readonly #byLength = new Map<number, Template<T>>();

  /** @param view looks at the line that is asked about. */
  constructor(view: LineView) {
    this.#view = view;
  }

  /** What was learned from the line that this one repeats, or null. */
  match(line: Buffer): T | null {
    const template = this.#byLength.get(line.length);
    if (template === undefined) return null;
    if (this.#repeats(line, template)) {
      template.hits += 1;
      return template.learned;
    }
    template.misses += 1;
    return null;
  }

  /** @param spans in order, apart from each other. */
  learn(line: Buffer, spans: readonly Span[], learned: T): void {
    const known = this.#byLength.get(line.length);
    if (known !== undefined && known.misses <= known.hits + PATIENCE) return;
    if (known === undefined && this.#byLength.size >= MAX_TEMPLATES) this.#byLength.clear();
    const fixed = [...spans, { from: line.length, to: line.length }].map(({ from }, index) => {
      const at = spans[index - 1]?.to ?? 0;
      return { at, bytes: literal(line.toString("latin1", at, from)) };
    });
    this.#byLength.set(line.length, { fixed, spans, learned, hits: 0, misses: 0 });
  }

  #repeats(line: Buffer, { fixed, spans }: Template<T>): boolean {
    for (const { at, bytes } of fixed) {
      if (this.#view.expect(at, bytes) < 0) return false;
    }
    for (const { from, to, kind } of spans) {
      if (scanSpan(line, from, to, kind) !== to) return false;
    }
    return true;
  }
}

const scanSpan = (line: Buffer, from: Position, to: Position, kind: SpanKind): Position => {
  switch (kind) {
    case "count":
      return line[from] === 0x2d ? NO : scanInteger(line, from);
    case "id":
      return scanId(line, from);
    case "digest":
      return scanDigest(line, from);
    case "text":
      return scanText(line, from, to - from);
    case "instant":
      return scanInstant(line, from);
  }
};
