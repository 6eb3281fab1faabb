import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { digestOf } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { requireOwnAgent } from "./agent-bundle.js";

test("an image is taken with this installation's agent, and with no other", (t) => {
  const path = join(temporaryDirectory(t), "agent.bundle.cjs");
  const own = "// this agent\n";
  writeFileSync(path, own);
  const holding = (bundle: string) => ({
    name: "base",
    agentBundle: digestOf(Buffer.from(bundle)),
  });
  requireOwnAgent(holding(own), path);
  assert.throws(() => requireOwnAgent(holding("// that agent\n"), path), {
    code: "IMAGE_OUTDATED",
    message: /"base" .*another version/,
    fix: /drydock image build/,
  });
  assert.throws(() => requireOwnAgent(holding(own), `${path}.gone`), { code: "IMAGE_INPUT" });
});
