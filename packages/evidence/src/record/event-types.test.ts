import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FINDING_EFFECTS } from "../finding.js";
import { ID_PATTERN } from "../schema/common.js";
import { eventTypes } from "./event-types.js";

const documentation = readFileSync(
  new URL("../../../../docs/evidence.md", import.meta.url),
  "utf8",
);

test("every event type is documented exactly as it is", () => {
  const rows = [...eventTypes].map(([name, type]) => {
    const witness = type.mechanism === null ? type.class : `${type.class}/${type.mechanism}`;
    const measurements = Object.entries(type.measurements).map(([key, kind]) => `${key}: ${kind}`);
    return `| \`${name}\` | ${type.roles.join(", ")} | ${witness} | ${type.decisions?.join(", ") ?? ""} | ${measurements.join(", ")} | ${type.doc} |`;
  });
  const table = documentation.split("<!-- events -->")[1]?.split("<!-- /events -->")[0] ?? "";
  const documented = table.trim().split("\n").slice(2);
  assert.deepEqual(documented, rows);
});

test("every finding is documented under its effect", () => {
  const rows = {
    integrity: "integrity is broken (INVALID)",
    completeness: "incomplete (INCOMPLETE)",
    note: "worth knowing",
  };
  for (const [effect, title] of Object.entries(rows)) {
    const row = documentation.split("\n").find((line) => line.startsWith(`| ${title} |`));
    const codes = Object.entries(FINDING_EFFECTS)
      .filter(([, value]) => value === effect)
      .map(([code]) => `\`${code}\``)
      .sort();
    assert.equal(row, `| ${title} | ${codes.join(" ")} |`);
  }
});

test("types, decisions and measurements are ids and keys that a record can hold", () => {
  for (const [name, type] of eventTypes) {
    assert.match(name, ID_PATTERN);
    assert(type.doc.length > 0 && type.roles.length > 0, name);
    for (const decision of type.decisions ?? []) assert.match(decision, ID_PATTERN, name);
    for (const key of Object.keys(type.measurements)) assert.match(key, /^[a-zA-Z][a-zA-Z0-9_]*$/);
    if (type.mechanism !== null) assert.equal(type.class, "HOST_OBSERVED", name);
  }
});
