import assert from "node:assert/strict";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import type { EvidenceRecord } from "../record/record.js";
import { KnownShapes } from "../record/shapes.js";
import { flip, utf8 } from "../testing/bytes.js";
import { linesOf } from "../testing/forge.js";
import { writeRun } from "../testing/run-fixture.js";
import { LogFold } from "./fold.js";
import { readLog } from "./read.js";
import type { Event } from "./writer.js";

const digest = `sha256:${"ab".repeat(32)}`;

/** Several types, often enough for their shapes to be known, and some that no shape fits. */
const busy = (index: number): readonly Event[] => [
  { type: "vmm.event", measurements: { name: "RTC_CHANGE", digest, bytes: index } },
  {
    type: "vmm.event",
    measurements: { name: "x".repeat(1 + ((index * 7) % 128)), digest, bytes: 2 ** (index % 50) },
  },
  {
    type: "channel.violation",
    decision: "closed",
    measurements: {
      channel: "control.0",
      rule: "duplicate-key",
      offset: index,
      seen: "é".repeat(index % 2),
    },
  },
  {
    type: "channel.open",
    measurements: {
      channel: `bulk.${index}`,
      list: Array.from({ length: index % 12 }, () => index),
    },
  },
];

const NO_SHAPES = { match: () => null, learn: () => undefined };

const judge = (
  chunks: readonly Buffer[],
  lines: number,
  shapes: ConstructorParameters<typeof LogFold>[2],
) => {
  const seen: EvidenceRecord[] = [];
  const fold = new LogFold(
    {
      run: "run-1",
      role: "port",
      manifest: manifestOf(chunks),
      authority: null,
      rootsAt: new Set([0, 7, 50, lines]),
      file: "logs/port.jsonl",
      wanted: new Set(["channel.violation", "vmm.event"]),
      observeUpTo: lines - 3,
    },
    (record) => seen.push(record),
    shapes,
  );
  const ended = readLog(chunks, fold);
  const { size, root, prev, lastType } = fold;
  const roots = [0, 7, 50, lines].map((at) => fold.rootAt(at)?.toString("hex"));
  return { ended, size, root: root.toString("hex"), prev, lastType, roots, seen };
};

const manifestOf = (chunks: readonly Buffer[]): string =>
  /"measurements":\{"manifest":"([^"]*)"/.exec(Buffer.concat(chunks).toString("latin1"))?.[1] ?? "";

test("a log, whole or damaged anywhere, is judged by its shapes as line by line", (t) => {
  const run = writeRun(temporaryDirectory(t), {
    unconcluded: true,
    events: (role, events) =>
      role === "port"
        ? [
            ...events.slice(0, -1),
            ...Array.from({ length: 24 }, (_, index) => busy(index)).flat(),
            ...events.slice(-1),
          ]
        : events,
  });
  const lines = linesOf(run, "port").map((line) => utf8(`${line}\n`));
  let recognised = 0;
  const counting = () => {
    const shapes = new KnownShapes();
    return {
      learn: shapes.learn.bind(shapes),
      match: (line: string) => {
        const head = shapes.match(line);
        if (head !== null) recognised += 1;
        return head;
      },
    };
  };
  const whole = judge([Buffer.concat(lines)], lines.length, counting());
  assert.deepEqual([whole.ended, whole.size], [null, lines.length]);
  assert(recognised > lines.length / 3, `${recognised} of ${lines.length}`);
  const damage = fc.record({
    kind: fc.constantFrom("none", "flip", "delete", "repeat", "swap", "cut", "insert"),
    line: fc.nat(lines.length - 2),
    place: fc.nat(),
    mask: fc.integer({ min: 1, max: 255 }),
    text: fc.constantFrom("\n", "0", '"', ",", " ", "é", "\\n", '"a":1,', "null", "-0"),
    chunk: fc.integer({ min: 1, max: 100_000 }),
  });
  fc.assert(
    fc.property(damage, ({ kind, line, place, mask, text, chunk }) => {
      const [own = Buffer.alloc(0), next = Buffer.alloc(0)] = lines.slice(line);
      const at = place % own.length;
      const damaged = (): readonly Buffer[] => {
        switch (kind) {
          case "flip":
            return lines.with(line, flip(own, at, mask));
          case "delete":
            return lines.toSpliced(line, 1);
          case "repeat":
            return lines.toSpliced(line, 0, own);
          case "swap":
            return lines.toSpliced(line, 2, next, own);
          case "cut":
            return [...lines.slice(0, line), own.subarray(0, at)];
          case "insert":
            return lines.with(
              line,
              Buffer.concat([own.subarray(0, at), utf8(text), own.subarray(at)]),
            );
          default:
            return lines;
        }
      };
      const bytes = Buffer.concat(damaged());
      const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
        bytes.subarray(index * chunk, (index + 1) * chunk),
      );
      assert.deepEqual(
        judge(chunks, lines.length, new KnownShapes()),
        judge(chunks, lines.length, NO_SHAPES),
      );
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});
