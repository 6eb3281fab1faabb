import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import ts from "typescript";
import { conforms, type FileResult, parseReport } from "../protocol.js";

const PROGRAM = fileURLToPath(new URL("./main.js", import.meta.url));
const EXAMPLE = readFileSync(
  new URL("../../../../../scenarios/adapter/notice.ts", import.meta.url),
  "utf8",
);
const TYPESCRIPT = createRequire(import.meta.url).resolve("typescript");

/** The kit on a text of this project's own: what runs here is trusted, and so needs no guest. */
const check = (
  t: { after(fn: () => void): void },
  source: string,
  { asTypeScript = false } = {},
): readonly FileResult[] => {
  const file = join(temporaryDirectory(t), "adapter.ts");
  // Starting a compiler takes longer than everything else here.
  writeFileSync(file, asTypeScript ? source : ts.transpile(source, { target: 99, module: 99 }));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...["--no-warnings", "--experimental-vm-modules", PROGRAM, file],
      ...(asTypeScript ? [TYPESCRIPT] : []),
    ],
    { encoding: "utf8", timeout: 120_000 },
  );
  const results = parseReport(stdout);
  assert.ok(results, stderr);
  return results;
};

const foundBy = (results: readonly FileResult[], check: FileResult["check"]): string | null =>
  results.find((result) => result.check === check)?.found ?? null;

test("the example for authors conforms", (t) => {
  const results = check(t, EXAMPLE, { asTypeScript: true });
  assert.deepEqual(
    results.filter(({ ok }) => !ok),
    [],
  );
  assert.equal(conforms(results), true);
  assert.equal(conforms(results.slice(1)), false, "a part of a report");
  assert.equal(conforms([...results].reverse()), false);
});

/** What it reaches for where it is loaded, where it is called, and after waiting. */
const REACHING: readonly (readonly [from: string, to: string, reached: readonly string[]])[] = [
  [
    "const identity =",
    "void [process?.env, fetch, setTimeout, globalThis['crypto'], console];\nconst identity =",
    ["process", "fetch", "setTimeout", "crypto", "console"],
  ],
  [
    "const { status, body } =",
    "void import('node:fs').catch(() => 0);\nconst { status, body } =",
    ["import of node:fs"],
  ],
  [
    "naturalIdentity: () =>",
    "naturalIdentity: () => Date.now() + Math.random() + new Date().getTime() > 1 ? {} :",
    ["Date.now", "Math.random", "Date"],
  ],
];

test("an adapter that reaches beyond is told for what, wherever it does so", (t) => {
  const source = REACHING.reduce((text, [from, to]) => {
    assert.ok(text.includes(from));
    return text.replace(from, to);
  }, EXAMPLE);
  const results = check(t, source);
  const found = foundBy(results, "REACHES_NOTHING")?.replace("it reaches for ", "").split(", ");
  assert.deepEqual(found?.sort(), REACHING.flatMap(([, , reached]) => reached).sort());
  assert.equal(conforms(results), false);
});

for (const [what, line, reached] of [
  [
    "the executor",
    'import { createExecutor as x } from "@drydock/acceptance"; void x;',
    "@drydock/acceptance",
  ],
  ["files", 'export * from "node:fs";', "node:fs"],
] as const) {
  test(`an adapter that imports ${what} isn't loaded, and is told`, (t) => {
    const results = check(t, `${line}\n${EXAMPLE}`);
    assert.equal(foundBy(results, "REACHES_NOTHING"), `it reaches for import of ${reached}`);
    assert.ok(foundBy(results, "LOADS"));
    assert.equal(conforms(results), false);
  });
}

test("state between calls is found in a file as well", (t) => {
  const results = check(
    t,
    EXAMPLE.replace("const identity =", "let calls = 0;\nconst identity =").replace(
      "transportLocator: () => 0",
      "transportLocator: () => { calls += 1; return calls; }",
    ),
  );
  assert.ok(foundBy(results, "STATELESS"));
});

for (const [what, source, said] of [
  ["no specimen", "export const adapter = {};", "it exports no `specimen`"],
  ["another specimen", "export const adapter = {}, specimen = { a: 1 };", "`specimen` isn't one"],
  ["an end of its own", "throw new Error('no');", "Error: no"],
] as const) {
  test(`a file with ${what} doesn't load`, (t) => {
    const results = check(t, source);
    assert.equal(foundBy(results, "LOADS"), said);
    assert.equal(conforms(results), false);
  });
}

test("what is no report is taken for none", () => {
  for (const output of ["", "{}", "conforms", '{"schema":"drydock.conformance/v1","results":[]}']) {
    assert.equal(parseReport(output), null);
  }
  const one = { check: "LOADS", ok: true, found: null };
  const report = (result: object, more = {}) =>
    JSON.stringify({ schema: "drydock.conformance/v1", results: [result], ...more });
  assert.deepEqual(parseReport(`${report(one)}\n`), [one]);
  assert.equal(parseReport(report({ ...one, check: "WELL" })), null);
  assert.equal(parseReport(report({ ...one, found: "f".repeat(401) })), null);
  assert.equal(parseReport(report(one, { extra: 1 })), null);
  assert.equal(parseReport(`${report(one)}\n${report(one)}`), null);
});
