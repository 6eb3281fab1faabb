import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryDirectory } from "@drydock/testkit";
import { testHome } from "../../testing/home.js";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(
  new URL("../../../../../scripts/guest-appliance.mjs", import.meta.url),
);
/** Builds the bundle first, if nobody has. */
const MADE_WITHIN_MS = 300_000;

/** What the script in the guest calls apply with, an argument each. */
const ARGUMENTS = `
  eval "$(grep -E '^(socket|appliance|released|wanted)=' in-guest.sh)"
  printf '%s\\0' "\${wanted[@]}" "\${appliance[@]}"`;

test("what goes into a guest is an appliance that apply takes, as far as the guest itself", async (t) => {
  const directory = temporaryDirectory(t);
  await run(process.execPath, [SCRIPT, directory], { timeout: MADE_WITHIN_MS });
  const { stdout } = await run("bash", ["-euc", ARGUMENTS], { cwd: directory });
  const given = stdout.split("\0").slice(0, -1);
  const apply = (args: readonly string[]) =>
    testHome(t).run(["boundary", "apply", ...args], { cwd: directory });
  // Every file is read, and the release checked, before the namespace is opened, which is the guest's.
  const { stderr } = await apply(given);
  assert.match(stderr, /\/run\/netns\/appliance.*\(NAMESPACE_GONE\)/s);
  const unsigned = await apply(given.map((each) => (each === "policy.yaml" ? "plan.yaml" : each)));
  assert.match(unsigned.stderr, /FILE_INVALID|POLICY_/, "control: it does read them");
});
