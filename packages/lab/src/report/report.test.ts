import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { acceptanceJson } from "./json.js";
import { acceptanceJunit } from "./junit.js";
import { acceptanceMarkdown } from "./markdown.js";
import { allPassed, failedScenario, passedScenario, rehearsed } from "./testing/rehearsed.js";

/** An element as Python's expat read it. */
interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}

const READER = `
import json, sys, xml.etree.ElementTree as tree
def told(element):
    return {"tag": element.tag, "attributes": element.attrib, "text": element.text or "",
            "children": [told(child) for child in element]}
documents = json.load(sys.stdin)
json.dump([told(tree.fromstring(text.encode("utf-8"))) for text in documents], sys.stdout)
`;

const parsed = (documents: readonly string[]): readonly Element[] => {
  const { stdout, stderr, status } = spawnSync("python3", ["-c", READER], {
    input: JSON.stringify(documents),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as readonly Element[];
};

describe("JUnit's XML, as another parser reads it", () => {
  const [root] = parsed([acceptanceJunit(rehearsed())]);
  const suite = root?.children[0];
  const cases = suite?.children.filter(({ tag }) => tag === "testcase") ?? [];

  test("is one suite with everything counted", () => {
    assert.equal(root?.tag, "testsuites");
    assert.equal(suite?.tag, "testsuite");
    const { tests, failures, errors, skipped, time, timestamp } = suite?.attributes ?? {};
    assert.deepEqual(
      { tests, failures, errors, skipped, time, timestamp },
      {
        ...{ tests: "6", failures: "1", errors: "2", skipped: "0" },
        ...{ time: "3.702", timestamp: "2026-11-30T10:00:00" },
      },
    );
    assert.equal(cases.length, 6);
  });

  test("has a test for each scenario, each that wasn't played, and the exit", () => {
    assert.deepEqual(
      cases.map(({ attributes: { classname, name }, children: [problem] }) => [
        ...[classname, name],
        ...[problem?.tag, problem?.attributes["type"], problem?.text],
      ]),
      [
        ["drydock.lab.scenario", "clean_passthrough", undefined, undefined, undefined],
        [
          ...["drydock.lab.scenario", "clean_passthrough (and back)"],
          ...["failure", "ORACLE", "forwardSends: 2, not 1"],
        ],
        [
          ...["drydock.lab.scenario", "timeout_during_readback"],
          ...["error", "ECONNREFUSED", "unexpected: ECONNREFUSED at scenario/play.js:42"],
        ],
        ["drydock.lab.scenario", "rollback_response_lost", "error", "NOT_PLAYED", "not played"],
        ["drydock.lab.exit", "the permission is gone", undefined, undefined, undefined],
        ["drydock.lab.exit", "the appliance is read-only", undefined, undefined, undefined],
      ],
    );
  });

  test("says what it is about, and what it is worth", () => {
    const properties = suite?.children.find(({ tag }) => tag === "properties")?.children ?? [];
    const { authorises, ...rest } = Object.fromEntries(
      properties.map(({ attributes: { name, value } }) => [name, value]),
    );
    assert.equal(authorises, "nothing");
    assert.equal(rest["real-appliance"], "NOT_PROVISIONED");
    assert.equal(rest["target.kind"], "stand-in");
  });

  test("an exit that isn't confirmed is a failure", () => {
    const base = allPassed();
    const exit = { permissionRevoked: false, readOnlyConfirmed: true };
    const [good, bad] = parsed([
      acceptanceJunit(base),
      acceptanceJunit({ ...base, report: { ...base.report, exit, passed: false } }),
    ]);
    assert.equal(good?.children[0]?.attributes["failures"], "0");
    assert.equal(bad?.children[0]?.attributes["failures"], "1");
  });

  test("any text comes back as it was, but for what XML has no character for", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    const texts = [
      ...fc.sample(text, { numRuns: profile.fuzz, seed: profile.seed }),
      "]]><!--&amp;\r\n\t\"'</failure>",
      "\ud800",
      "\ufffe\u0000\u001b",
    ];
    const documents = texts.map((one) =>
      acceptanceJunit(
        rehearsed([{ ...failedScenario, failures: [one] }], { command: `drydock ${one}` }),
      ),
    );
    for (const [index, document] of parsed(documents).entries()) {
      const expected = (texts[index] ?? "")
        .toWellFormed()
        .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
      const [properties, failed] = document.children[0]?.children ?? [];
      const command = properties?.children.find(
        ({ attributes }) => attributes["name"] === "command",
      );
      assert.equal(command?.attributes["value"], `drydock ${expected}`);
      assert.equal(failed?.children[0]?.attributes["message"], expected);
      assert.equal(failed?.children[0]?.text, expected);
    }
  });
});

describe("the report as JSON", () => {
  test("has everything but the receipts of single requests", () => {
    const records = [
      { kind: "configuration", when: "start", digest: `sha256:${"2".repeat(64)}` },
    ] as const;
    const told = JSON.parse(acceptanceJson(rehearsed([{ ...passedScenario, records }])));
    assert.deepEqual(Object.keys(told), [
      ...["schema", "run", "created", "command", "adapter", "seed", "planned"],
      ...["target", "authorises", "realAppliance", "passed", "counts"],
      ...["scenarios", "exit", "unexpected"],
    ]);
    assert.equal(told.schema, "drydock.acceptance-report/v1");
    assert.equal(told.authorises, "nothing");
    assert.equal(told.realAppliance, "NOT_PROVISIONED");
    const { records: _, ...rest } = passedScenario;
    assert.deepEqual(told.scenarios, [{ ...rest, reasons: [] }]);
  });

  test("names what didn't hold", () => {
    const told = JSON.parse(acceptanceJson(rehearsed()));
    assert.deepEqual(
      told.scenarios.map(({ reasons }: { reasons: readonly string[] }) => reasons),
      [[], ["forwardSends: 2, not 1"], ["unexpected: ECONNREFUSED at scenario/play.js:42"]],
    );
    assert.deepEqual(told.counts, { passed: 1, failed: 2, notPlayed: 1 });
    assert.equal(told.passed, false);
  });
});

describe("the report for a person", () => {
  const table = (markdown: string): readonly string[] => {
    const lines = markdown.split("\n");
    const start = lines.findIndex((line) => line.startsWith("| scenario |"));
    return lines.slice(start + 2).filter((line) => line !== "");
  };

  test("begins with the outcome, and with what it is worth", () => {
    const [failed = "", , worth = ""] = acceptanceMarkdown(rehearsed()).split("\n");
    assert.match(failed, /: FAIL$/);
    assert.match(worth, /^Rehearsed on a stand-in\. It authorises nothing; .* NOT_PROVISIONED\.$/);
    assert.match(acceptanceMarkdown(allPassed()), /^# Acceptance \S+: PASS\n/);
  });

  test("has a row for each scenario, played or not", () => {
    assert.deepEqual(table(acceptanceMarkdown(rehearsed())), [
      "| `clean_passthrough` | PASS | VERIFIED | 1, 0 | free | after | 1234 |",
      "| `clean_passthrough (and back)` | **FAIL** forwardSends: 2, not 1 | VERIFIED | 2, 0 | free | after | 1234 |",
      "| `timeout_during_readback` | **FAIL** unexpected: ECONNREFUSED at scenario/play.js:42 |  |  |  |  | 1234 |",
      "| `rollback_response_lost` | not played |  |  |  |  |  |",
    ]);
  });

  test("no text makes a cell, a line or markup of its own", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    fc.assert(
      fc.property(text, (one) => {
        const markdown = acceptanceMarkdown(
          rehearsed([{ ...failedScenario, failures: [one] }], { command: one }),
        );
        const rows = table(markdown);
        assert.equal(rows.length, 2);
        for (const row of rows) assert.equal(row.split("|").length, 9);
        assert.doesNotMatch(rows[0] ?? "", /<|\]\(/);
        const command = markdown.split("\n").filter((line) => line.startsWith("| command |"));
        assert.equal(command.length, 1);
        assert.equal(command[0]?.split("`").length, 3);
      }),
      { seed: profile.seed, numRuns: profile.fuzz },
    );
  });
});
