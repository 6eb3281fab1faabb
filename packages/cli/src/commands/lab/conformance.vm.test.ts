import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { CONFORMANCE_CHECKS, FILE_CHECKS } from "@drydock/acceptance";
import { digestOf } from "@drydock/evidence";
import { type TestHome, testHome } from "../../testing/home.js";
import { whatIsLeft } from "../../testing/left.js";
import { inTree } from "../../testing/repository.js";
import { suiteEndings } from "../../testing/suite.js";

const EXAMPLE = inTree("scenarios/adapter/notice.ts");

/** Would leave a mark here if it were ever run here, and says so wherever it is run. */
const HOSTILE = (mark: string): string => `
  const { writeFileSync } = await import("node:fs").catch(() => ({}));
  writeFileSync?.(${JSON.stringify(mark)}, "here");
  export const adapter = {};
  export const specimen = {};
`;

describe("drydock lab conformance", () => {
  const endings = suiteEndings();
  let home: TestHome;

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
  });

  test("an adapter in TypeScript is compiled and checked in a guest", async (t) => {
    const ran = await home.run(["lab", "conformance", "--json", EXAMPLE], {
      withinMs: 420_000,
    });
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    const { results, run, evidence, ...rest } = JSON.parse(ran.stdout);
    assert.deepEqual(rest, {
      adapter: { file: "notice.ts", digest: digestOf(readFileSync(EXAMPLE)) },
      conforms: true,
      witness: "GUEST_ASSERTED",
      ended: null,
      verdict: "PASS",
    });
    assert.deepEqual(
      results.map(({ check }: { check: string }) => check),
      [...Object.keys(FILE_CHECKS), ...Object.keys(CONFORMANCE_CHECKS)],
    );
    assert.ok(run && evidence);
    assert.deepEqual(await whatIsLeft(home), []);
    t.diagnostic(`${Math.round(ran.ms)} ms`);
  });

  test("nothing of an adapter runs here; what it reaches for is named", async () => {
    const mark = join(home.temporary, "mark");
    const adapter = join(home.temporary, "hostile.mjs");
    writeFileSync(adapter, HOSTILE(mark));
    const ran = await home.run(["lab", "conformance", adapter]);
    assert.equal(ran.code, 1, ran.stderr);
    assert.match(ran.stdout, /^FAIL REACHES_NOTHING +it reaches for import of node:fs$/m);
    assert.match(ran.stdout, /^hostile\.mjs doesn't conform {2}sha256:/m);
    assert.throws(() => readFileSync(mark), { code: "ENOENT" });
  });

  test("what can't be an adapter's file is refused before anything starts", async () => {
    const text = join(home.temporary, "adapter.txt");
    const long = join(home.temporary, "long.js");
    const alone = join(home.temporary, "alone.ts");
    writeFileSync(text, "");
    writeFileSync(long, Buffer.alloc(1024 * 1024 + 1));
    writeFileSync(alone, "");
    for (const [file, code] of [
      [text, "USAGE"],
      [long, "ADAPTER_FILE"],
      [alone, "TYPESCRIPT_MISSING"],
      [`${home.temporary}/none.js`, "ADAPTER_FILE"],
      [`${home.temporary}/`, "USAGE"],
    ] as const) {
      const { code: status, stdout } = await home.run(["lab", "conformance", "--json", file]);
      assert.equal(status, 2, stdout);
      assert.equal(JSON.parse(stdout).error.code, code, file);
    }
  });
});
