import assert from "node:assert/strict";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { artifactsSchema, parseArtifacts } from "../artifacts/artifacts.js";
import { journalEntrySchema, readJournalEntry } from "../journal/entry.js";
import { canonicalBytes } from "../json/canonical.js";
import type { JsonValue } from "../json/value.js";
import { boundaryManifestSchema } from "../manifest/boundary.js";
import { labManifestSchema } from "../manifest/lab.js";
import { parseManifest } from "../manifest/manifest.js";
import { manifestSchema } from "../manifest/run.js";
import { readRecordLine } from "../record/read-line.js";
import { recordSchema } from "../record/record.js";
import { testBoundaryManifest } from "../testing/boundary-fixture.js";
import { testKey } from "../testing/keys.js";
import { testLabManifest } from "../testing/lab-fixture.js";
import { testManifest } from "../testing/manifest.js";
import { TestJournal, writeRun } from "../testing/run-fixture.js";
import { controllerTrustEntry } from "../testing/trust.js";
import { parseTrust, trustSchema } from "../trust/trust.js";
import { openEnvelope } from "../verdict/dsse.js";
import { parseStatement, verdictSchema } from "../verdict/statement.js";
import { base64 } from "./common.js";
import { ShapeError } from "./error.js";
import type { JsonSchema } from "./reader.js";

interface Format {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly samples: readonly JsonValue[];
  readonly parse: (bytes: Uint8Array) => unknown;
}

const jsonOf = (value: unknown): JsonValue => JSON.parse(canonicalBytes(value).toString("utf8"));

const formats = (t: Parameters<typeof temporaryDirectory>[0]): readonly Format[] => {
  const journal = new TestJournal();
  const run = writeRun(temporaryDirectory(t), { journal });
  const { payload } = openEnvelope(run.read("verdict.dsse.json"), [
    { key: run.controllerKey.public },
  ]);
  const lines = (bytes: Buffer) =>
    bytes
      .toString("utf8")
      .split("\n")
      .slice(0, -1)
      .map((line): JsonValue => JSON.parse(line));
  return [
    {
      name: "record",
      schema: recordSchema,
      samples: [...lines(run.read("logs/controller.jsonl")), ...lines(run.read("logs/port.jsonl"))],
      parse: readRecordLine,
    },
    {
      name: "manifest",
      schema: manifestSchema,
      samples: [
        jsonOf(testManifest()),
        jsonOf(testManifest({ source: { kind: "none" }, command: null, snapshot: null })),
      ],
      parse: parseManifest,
    },
    {
      name: "boundary manifest",
      schema: boundaryManifestSchema,
      samples: [
        jsonOf(testBoundaryManifest()),
        jsonOf(testBoundaryManifest({ phase: "apply", release: null, development: true })),
      ],
      parse: parseManifest,
    },
    {
      name: "lab manifest",
      schema: labManifestSchema,
      samples: [jsonOf(testLabManifest()), jsonOf(testLabManifest({ extent: "some", repeat: 3 }))],
      parse: parseManifest,
    },
    {
      name: "trust",
      schema: trustSchema,
      samples: [
        jsonOf({
          schema: "drydock.trust/v1",
          keys: [
            controllerTrustEntry(testKey("a").public),
            controllerTrustEntry(testKey("b").public, { revoked: "2026-06-01T00:00:00.000Z" }),
          ],
        }),
      ],
      parse: parseTrust,
    },
    {
      name: "verdict",
      schema: verdictSchema,
      samples: [JSON.parse(payload.toString("utf8"))],
      parse: parseStatement,
    },
    {
      name: "artifacts",
      schema: artifactsSchema,
      samples: [JSON.parse(run.read("artifacts/artifacts.json").toString("utf8"))],
      parse: parseArtifacts,
    },
    {
      name: "journal entry",
      schema: journalEntrySchema,
      samples: lines(journal.log.bytes),
      parse: readJournalEntry,
    },
  ];
};

const REPLACEMENTS: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  7,
  Number.MAX_SAFE_INTEGER,
  "",
  "x",
  "PASS",
  "controller",
  "HOST_OBSERVED",
  "/",
  "a\0b",
  `sha256:${"0".repeat(64)}`,
  `sha256:${"G".repeat(64)}`,
  "2026-13-01T00:00:00.000Z",
  "2026-12-01T00:00:00.000Z",
  "x".repeat(5000),
  [],
  [null],
  ["x", "x"],
  {},
  { kind: "none" },
];

type Edit = "replace" | "remove" | "add" | "repeat";

/** A copy in which one place, chosen by `seed`, was changed. */
const edited = (value: JsonValue, seed: number, edit: Edit, by: JsonValue): JsonValue => {
  const copy = structuredClone(value) as JsonValue;
  const places: (() => void)[] = [];
  const visit = (item: JsonValue): void => {
    if (Array.isArray(item)) {
      const array = item as JsonValue[];
      array.forEach((child, index) => {
        places.push(() => {
          if (edit === "remove") array.splice(index, 1);
          else if (edit === "replace") array[index] = by;
          else array.splice(index, 0, edit === "repeat" ? child : by);
        });
        visit(child);
      });
    } else if (typeof item === "object" && item !== null) {
      const object = item as Record<string, JsonValue>;
      for (const [key, child] of Object.entries(object)) {
        places.push(() => {
          if (edit === "remove") delete object[key];
          else if (edit === "replace") object[key] = by;
          else object[`${key}2`] = by;
        });
        visit(child);
      }
    }
  };
  visit(copy);
  places[seed % Math.max(1, places.length)]?.();
  return copy;
};

/** Rules that JSON Schema has no words for; everything else it says as the parser does. */
const BEYOND_SCHEMA = ["SHAPE_RULE", "SHAPE_RANGE", "SHAPE_PATTERN", "SHAPE_COUNT"];

test("the exported JSON Schemas and the parsers say the same", async (t) => {
  const ajv = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true });
  for (const format of formats(t)) {
    await t.test(format.name, () => {
      const validate = ajv.compile(structuredClone(format.schema));
      for (const sample of format.samples) {
        assert(validate(sample), JSON.stringify(validate.errors));
        format.parse(canonicalBytes(sample));
      }
      let refused = 0;
      const property = fc.property(
        fc.constantFrom(...format.samples),
        fc.nat(),
        fc.constantFrom<Edit>("replace", "remove", "add", "repeat"),
        fc.constantFrom(...REPLACEMENTS),
        (sample, seed, edit, by) => {
          const value = edited(sample, seed, edit, by);
          const valid = validate(value);
          try {
            format.parse(canonicalBytes(value));
          } catch (error) {
            refused += 1;
            if (!valid) return;
            const code = error instanceof ShapeError ? error.code : String(error);
            const isRule =
              BEYOND_SCHEMA.includes(code) || /^(KEY|TRUST|DrydockError|JsonError)/.test(code);
            assert(isRule, `only the parser refuses, with ${code}: ${JSON.stringify(value)}`);
            return;
          }
          assert(valid, `only the schema refuses: ${JSON.stringify(validate.errors)}`);
        },
      );
      fc.assert(property, { numRuns: profile.fuzz * 2, seed: profile.seed });
      assert(refused > profile.fuzz / 4, `${refused} edits were refused: too few to mean anything`);
    });
  }
});

test("refusals name the path and what to do", () => {
  const manifest = { ...testManifest(), limits: { ...testManifest().limits, cpus: 0, gpus: 1 } };
  assert.throws(() => parseManifest(canonicalBytes(manifest)), {
    code: "SHAPE_KEY_UNKNOWN",
    path: "manifest.limits",
    fix: /^Use only: cpus, /,
  });
  const zero = { ...testManifest(), limits: { ...testManifest().limits, cpus: 0 } };
  assert.throws(() => parseManifest(canonicalBytes(zero)), {
    code: "SHAPE_RANGE",
    message: "manifest.limits.cpus: 0 is outside 1–1024",
  });
});

test("bytes have one spelling in base64", () => {
  for (const text of ["", "AA==", "AAA=", "AAAA", "/+9Q/w=="]) {
    assert.equal(base64.read(text, "it"), text);
  }
  // One bit further on, in what no byte takes: other text, and the same bytes.
  for (const text of ["AB==", "AAB=", "/+9Q/x==", "AA", "AA=", "AAAA=", "AA==AA==", "AA\n=="]) {
    assert.throws(() => base64.read(text, "it"), { code: /SHAPE_/ });
  }
});
