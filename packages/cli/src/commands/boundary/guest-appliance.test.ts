import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
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

/** What the script in the guest calls apply and the gate with, an argument each, by its own words. */
const ARGUMENTS = `
  eval "$(sed -n -E '/^(socket|appliance|released|wanted)=/p; /^gate\\(\\)/,/^}/p' in-guest.sh)"
  drydock() { printf '%s\\0' "$@" $'\\n'; }
  drydock boundary apply "\${wanted[@]}" "\${appliance[@]}"
  gate out/gate
  eval "$(grep "^drydock boundary clear" in-guest.sh)"`;

test("what goes into a guest is an appliance that apply takes, as far as the guest itself", async (t) => {
  const directory = temporaryDirectory(t);
  await run(process.execPath, [SCRIPT, directory], { timeout: MADE_WITHIN_MS });
  const { stdout } = await run("bash", ["-euc", ARGUMENTS], { cwd: directory });
  const [apply = [], look = [], gate = [], clear = []] = stdout
    .split("\0\n\0")
    .map((call) => call.split("\0"));
  const call = (args: readonly string[]) => testHome(t).run(args, { cwd: directory });
  // Every file is read, and the release checked, before the namespace is opened, which is the guest's.
  for (const asked of [apply, clear]) {
    const { stderr } = await call(asked);
    assert.match(stderr, /\/run\/netns\/appliance.*\(NAMESPACE_GONE\)/s);
  }
  // Those two read what apply leaves, and keys that are made there.
  for (const asked of [look, gate]) {
    assert.match((await call(asked)).stderr, /out\/binding\.json|\/run\/observer\.key/);
  }
  assert.deepEqual(
    ["in-guest.sh", "by-hand.sh"].filter((name) => !existsSync(join(directory, name))),
    [],
  );
  for (const asked of [apply, clear]) {
    const other = asked.map((each) => (each === "policy.yaml" ? "plan.yaml" : each));
    assert.match((await call(other)).stderr, /FILE_INVALID|POLICY_/, "control: it does read them");
  }
  const alone = clear.slice(0, clear.indexOf("--release"));
  assert.match((await call(alone)).stderr, /counts with its release/);
});
