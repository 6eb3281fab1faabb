import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { createLab } from "./sdk/create-lab.js";
import { testHome } from "./testing/home.js";

/**
 * Machines that users have hold limits with cgroup v2. This one may have v1 only, so the same
 * functions run inside our own guest, on Debian's kernel.
 */
const bundleSelfTest = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents:
        'import { selfTestCgroup } from "@drydock/vm"; console.log(JSON.stringify(await selfTestCgroup()));',
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const [file] = outputFiles;
  assert.ok(file);
  return file.text;
};

test("limits are set, read back and enforced on cgroup v2, in a guest", {
  timeout: 180_000,
}, async (t) => {
  const home = testHome(t);
  await home.buildBase();
  const lab = await createLab({ home: home.directory, limits: { guestPids: 256 } });
  try {
    await lab.writeFile("/tmp/self-test.mjs", await bundleSelfTest());
    const { exit, stdout, stderr } = await lab.exec(
      [
        "sh",
        "-c",
        // A root of its own for the test: the agent's groups are none of its business.
        "mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg && cat /tmp/cg/cgroup.controllers && node /tmp/self-test.mjs",
      ],
      { user: "root", cwd: "/tmp" },
    );
    assert.deepEqual(exit, { kind: "code", code: 0 }, stderr);
    const result = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as {
      versions: number[];
      effective: { memoryBytes: number; pids: number; cpuMillis: number; swapBytes: number };
      missing: string[];
      left: string[];
    };
    assert.deepEqual(result.versions, [2]);
    assert.equal(result.effective.memoryBytes, 64 * 1024 * 1024);
    assert.equal(result.effective.pids, 16);
    assert.equal(result.effective.cpuMillis, 500);
    assert.deepEqual([result.missing, result.left], [[], []]);
  } finally {
    const report = await lab.close();
    assert.equal(report.verdict, "PASS");
  }
});
