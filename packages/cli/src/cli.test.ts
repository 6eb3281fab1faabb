import assert from "node:assert/strict";
import { test } from "node:test";
import { VERBS } from "@drydock/trial";
import type { Command } from "commander";
import { buildProgram } from "./cli.js";
import { verbName } from "./verbs.js";

const leaves = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

test("the table of verbs and the command line name the same verbs", () => {
  const offered = leaves(buildProgram(() => undefined)).map(verbName);
  assert.deepEqual([...offered].sort(), Object.keys(VERBS).sort());
});

test("every verb takes --json and says in its help what it is for", () => {
  for (const command of leaves(buildProgram(() => undefined))) {
    const name = verbName(command);
    assert.ok(
      command.options.some(({ long }) => long === "--json"),
      `${name} has no --json`,
    );
    assert.ok(command.description().length > 10, `${name} has no description`);
  }
});
