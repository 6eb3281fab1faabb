import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { swapEnvironment } from "@drydock/testkit";
import { enterPrivateNetwork, inThisNetwork } from "../private-network.js";
import { GUARDS, GUARDS_BESIDE, type Guard, TAKEN_AWAY_ELSEWHERE } from "./guards/index.js";

// One network for all: the matrix starts dozens of times.
enterPrivateNetwork(import.meta.url, { addresses: [], everyAddress: true });

const MATRIX = new URL("./matrix.test.js", import.meta.url);
const COMPILED = new URL("../../", import.meta.url);
const SOURCES = new URL("../../../src/", import.meta.url);

const compiled = (module: string): string => JSON.stringify(new URL(`${module}.js`, COMPILED).href);

/** A test file in the same network, without one guard. */
const runWithout = ({ module, source }: Omit<Guard, "cells">, test: URL, names: string) => {
  const swap = { module: `packages/broker/dist/${module}.js`, source: source(compiled) };
  const env = { ...swapEnvironment([swap]), ...inThisNetwork(test.href) };
  delete env["NODE_TEST_CONTEXT"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--test-name-pattern=${names}`, "--test-reporter=tap", fileURLToPath(test)],
    { env, encoding: "utf8", timeout: 180_000 },
  );
  return { status, output: stdout + stderr };
};

describe("without one guard a cell of the matrix comes out otherwise", () => {
  for (const guard of GUARDS) {
    it(`${guard.module} that ${guard.what}`, () => {
      const { status, output } = runWithout(guard, MATRIX, `^${guard.cells}`);
      assert.equal(status, 1, output);
      // By what a cell came to, not because the replacement couldn't be loaded.
      assert.match(output, /ERR_ASSERTION/, output);
      assert.match(output, /expected/);
    });
  }
});

describe("without one guard that no client reaches, its own test fails", () => {
  for (const guard of GUARDS_BESIDE) {
    it(`${guard.module} that ${guard.what}`, () => {
      const { status, output } = runWithout(guard, new URL(`${guard.test}.js`, COMPILED), ".");
      assert.equal(status, 1, output);
      assert.match(output, /ERR_ASSERTION/, output);
    });
  }
});

it("every guard of the broker is taken away once", () => {
  const text = (module: string): string => readFileSync(new URL(`${module}.ts`, SOURCES), "utf8");
  const marked = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((file) => file.replace(/\.ts$/, ""))
    .filter((module) => /^ ?\*? .*\bGuard[:.]|^\/\*\* Guard:/m.test(text(module)));
  for (const [module, test] of TAKEN_AWAY_ELSEWHERE) assert.ok(text(test).includes(module), module);
  const taken = [...GUARDS, ...GUARDS_BESIDE].map(({ module }) => module);
  const all = new Set([...taken, ...TAKEN_AWAY_ELSEWHERE.keys()]);
  assert.deepEqual(
    marked.filter((module) => !all.has(module)),
    [],
  );
  assert.ok(marked.length > 30);
});
