import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { TOOL_DIRECTORIES } from "./namespace.js";
import { findTool, missingTools, runTool, succeeded, type Tool } from "./tool.js";

const run = {
  directories: TOOL_DIRECTORIES,
  tool: "cat",
  args: [],
  maxBytes: 1000,
  deadlineMs: 20_000,
} as const;

describe("programs of the system", () => {
  it("are found, or their absence has a code and the package that brings them", (t) => {
    const empty = temporaryDirectory(t);
    const packages: Readonly<Record<string, readonly [Tool, string]>> = {
      NFT_MISSING: ["nft", "nftables"],
      CONNTRACK_MISSING: ["conntrack", "conntrack"],
      NSENTER_MISSING: ["nsenter", "util-linux"],
      IP_MISSING: ["ip", "iproute2"],
    };
    assert.deepEqual(missingTools(TOOL_DIRECTORIES), []);
    assert.equal(missingTools([empty]).length, missingTools([]).length);
    for (const [code, [tool, name]] of Object.entries(packages)) {
      assert.match(findTool(tool, TOOL_DIRECTORIES), /^\//, "control");
      assert.ok(missingTools([empty]).some((one) => one.tool === tool && one.package === name));
      assert.throws(() => findTool(tool, [empty]), {
        code,
        fix: `sudo apt-get install --no-install-recommends ${name}`,
      });
    }
  });

  it("have a deadline", async () => {
    await assert.rejects(
      runTool({ ...run, tool: "ip", args: ["monitor", "link"], deadlineMs: 100 }),
      { code: "TOOL_DEADLINE" },
    );
    const { code } = await runTool({ ...run, tool: "ip", args: ["-V"] });
    assert.equal(code, 0, "control");
  });

  it("print no more than they may", async () => {
    await assert.rejects(runTool({ ...run, args: ["/dev/zero"] }), { code: "TOOL_FLOODED" });
    const { stdout } = await runTool({ ...run, args: ["/dev/null"] });
    assert.equal(stdout.length, 0, "control");
  });

  it("get nothing of the caller's environment", async () => {
    const { stdout } = await runTool({ ...run, args: ["/proc/self/environ"] });
    assert.deepEqual(stdout.toString("latin1").split("\0").filter(Boolean).sort(), [
      "LC_ALL=C",
      `PATH=${TOOL_DIRECTORIES.join(":")}`,
    ]);
  });

  it("that fail say why", async () => {
    const exit = await runTool({ ...run, tool: "nft", args: ["no", "such"] });
    assert.throws(() => succeeded("nft", exit), { code: "TOOL_FAILED", message: /syntax error/ });
  });
});
