import assert from "node:assert/strict";
import { test } from "node:test";
import { CommanderError } from "commander";
import { buildProgram } from "./cli.js";
import { describeError } from "./output.js";
import { chooseStyle } from "./terminal/style.js";

const EVIL = "\u001b]52;c;cm0=\u0007\u009b2J\u202e\nverdict  PASS";
const SHOWN = "\\u001b]52;c;cm0=\\u0007\\u009b2J\\u202e\\u000averdict  PASS";

/** What stands on stderr after a command line that Commander refuses. */
const refusal = async (args: readonly string[]): Promise<string> => {
  let said = "";
  const write = process.stderr.write;
  process.stderr.write = (text: string | Uint8Array) => {
    said += text;
    return true;
  };
  try {
    await assert.rejects(
      buildProgram(() => undefined).parseAsync(["node", "drydock", ...args]),
      CommanderError,
    );
  } finally {
    process.stderr.write = write;
  }
  return said;
};

for (const [what, args] of [
  ["an unknown option", ["doctor", `--${EVIL}`]],
  ["an unknown command", [EVIL]],
  ["an unknown command of a verb", ["keys", EVIL]],
  ["a wrong choice", ["egress", "check", "policy.yaml", "a.example:443", "--form", EVIL]],
] as const)
  test(`${what} is repeated without what a terminal would obey`, async () => {
    const said = await refusal(args);
    assert.ok(said.includes(SHOWN), said);
    assert.equal(said.match(/\n/g)?.length, 2, said);
    assert.ok(said.endsWith("\n(see --help)\n"), said);
  });

test("Commander's own suggestion keeps its line", async () => {
  assert.match(await refusal(["doctr"]), /'doctr'\n\(Did you mean doctor\?\)\n/);
});

test("an internal error shows what it repeats", () => {
  const text = describeError(new Error(EVIL), chooseStyle(false, {}));
  assert.ok(text.includes("\\u001b]52;c;cm0=\\u0007\\u009b2J\\u202e"), text);
});
