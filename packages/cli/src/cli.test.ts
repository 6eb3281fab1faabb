import assert from "node:assert/strict";
import { test } from "node:test";
import { VERBS } from "@drydock/trial";
import type { Command } from "commander";
import { buildProgram } from "./cli.js";
import { verbName } from "./verbs/name.js";

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

/** Lines of the help that begin with the program's name, with what they go on to. */
const examplesOf = (command: Command): readonly string[] => {
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return help
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("drydock "));
};

const words = (line: string): readonly string[] =>
  line
    .replace(/ (>|#) ?.*$/, "")
    .match(/'[^']*'|\S+/g)
    ?.slice(1) ?? [];

const groups = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [] : [command, ...command.commands.flatMap(groups)];

test("every verb's help has an example, and each example is a command line that the verb takes", () => {
  const program = buildProgram(() => undefined);
  const verbs = new Map(leaves(program).map((verb) => [verbName(verb), verb]));
  const shown = new Set<string>();
  const examples = [...verbs.values(), ...groups(program)].map(examplesOf);
  assert.ok(
    examples.every(({ length }) => length > 0),
    "a help without one",
  );
  for (const line of examples.flat()) {
    const [first = "", second = ""] = words(line);
    const name = verbs.has(first) ? first : `${first} ${second}`;
    const verb = verbs.get(name);
    assert.ok(verb !== undefined, line);
    const { operands, unknown } = verb.parseOptions([...words(line).slice(name.split(" ").length)]);
    assert.deepEqual(unknown, [], line);
    const required = verb.registeredArguments.filter((argument) => argument.required).length;
    assert.ok(operands.length >= required, line);
    shown.add(name);
  }
  assert.deepEqual([...verbs.keys()].filter((name) => !shown.has(name)).sort(), []);
});
