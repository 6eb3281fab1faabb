import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { swapEnvironment } from "@drydock/testkit";
import { enterPrivateNetwork, inThisNetwork } from "../private-network.js";
import { GUARDS, type Guard, NOT_REACHED_BY_CELLS } from "./guards.js";

// One network for all: the matrix starts dozens of times.
enterPrivateNetwork(import.meta.url, { addresses: [], everyAddress: true });

const MATRIX = new URL("./matrix.test.js", import.meta.url);
const COMPILED = new URL("../../", import.meta.url);
const SOURCES = new URL("../../../src/", import.meta.url);

const compiled = (module: string): string => JSON.stringify(new URL(`${module}.js`, COMPILED).href);

/** The cells of the matrix that a guard's name is for, without that guard. */
const cellsWithout = ({ module, source, cells }: Guard) => {
  const swap = { module: `packages/broker/dist/${module}.js`, source: source(compiled) };
  const env = { ...swapEnvironment([swap]), ...inThisNetwork(MATRIX.href) };
  delete env["NODE_TEST_CONTEXT"];
  return spawnSync(
    process.execPath,
    [`--test-name-pattern=^${cells}`, "--test-reporter=tap", fileURLToPath(MATRIX)],
    { env, encoding: "utf8", timeout: 180_000 },
  );
};

describe("without one guard a cell of the matrix comes out otherwise", () => {
  for (const guard of GUARDS) {
    it(`${guard.module} that ${guard.what}`, () => {
      const { status, stdout, stderr } = cellsWithout(guard);
      assert.equal(status, 1, stderr);
      // By what a cell came to, not because the replacement couldn't be loaded.
      assert.match(stdout, /ERR_ASSERTION/, stdout + stderr);
      assert.match(stdout, /expected/);
    });
  }
});

it("every guard of the broker is taken away once", () => {
  const marked = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .filter((file) => /^ ?\*? .*\bGuard[:.]/m.test(readFileSync(new URL(file, SOURCES), "utf8")))
    .map((file) => file.replace(/\.ts$/, ""));
  const taken = new Set([...GUARDS.map(({ module }) => module), ...NOT_REACHED_BY_CELLS.keys()]);
  assert.deepEqual(
    marked.filter((module) => !taken.has(module)),
    [],
  );
  assert.ok(marked.length > 30);
});
