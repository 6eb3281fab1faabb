import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { testNetwork } from "../ruleset/testing/network.js";

const LEAVES_MS = 60_000;

test("a program that stays in a namespace keeps no process that forgot it", (t) => {
  const { path } = testNetwork(t);
  const asked = (ending: string): ReturnType<typeof spawnSync> =>
    spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { openNamespace } from ${JSON.stringify(new URL("./namespace.js", import.meta.url).href)};
         import { Resident } from ${JSON.stringify(new URL("./resident.js", import.meta.url).href)};
         const namespace = openNamespace({ kind: "netns", path: process.argv[1] });
         const ip = new Resident(namespace, "ip", ["-json", "-batch", "-"], { maxBytes: 65536 });
         console.log(JSON.parse(await ip.ask("link show lo"))[0].ifname);
         ${ending}`,
        path,
      ],
      { encoding: "utf8", timeout: LEAVES_MS },
    );
  for (const ending of ["ip[Symbol.dispose]();", ""]) {
    const { status, signal, stdout, stderr } = asked(ending);
    assert.deepEqual(
      { status, signal, stdout },
      { status: 0, signal: null, stdout: "lo\n" },
      `${stderr}`,
    );
  }
});
