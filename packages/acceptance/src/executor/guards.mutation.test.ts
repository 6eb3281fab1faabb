import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps, type Swap } from "@drydock/testkit";
import { BROKEN } from "./testing/broken.js";

interface Mutant {
  readonly swap: Swap;
  /** The test file that notices, and which of its tests are enough. */
  readonly file: string;
  readonly tests: string;
}

const executor = (module: string, source: string): Swap => ({
  module: `packages/acceptance/dist/executor/${module}.js`,
  source,
});

const MUTANTS: Readonly<Record<string, Mutant>> = {
  "an executor that retries": {
    swap: BROKEN.retries,
    file: "decision-table",
    tests: "^forward: timeout, then as before$",
  },
  "an executor that trusts a 2xx": {
    swap: BROKEN.trusts,
    file: "decision-table",
    tests: "^forward: 2xx, then something else$",
  },
  "a rollback that forces": {
    swap: BROKEN.forces,
    file: "drift",
    tests: "^after the change its description was edited",
  },
  "an executor that goes on without a history": {
    swap: BROKEN.blind,
    file: "history",
    tests: "^(forward|back), the history answers with an empty list",
  },
  "an adapter that matches by numeric id": {
    swap: BROKEN.byNumber,
    file: "../conformance/conformance",
    tests: "^set_firewall_alias_description_v1 conforms$",
  },
  "an adapter that takes the first of two": {
    swap: BROKEN.takesFirst,
    file: "../conformance/conformance",
    tests: "^set_firewall_alias_description_v1 conforms$",
  },
  "a reset that counts as not sent": {
    swap: executor(
      "judge-send",
      `export const judgeSend = ({ kind, status }) =>
        kind === "answered" && status < 300
          ? { kind: "look", delivery: "answered" }
          : { kind: "no-effect", delivery: "proven-not", cause: { failureClass: "SEND_NOT_SENT", exceptionClass: null } };`,
    ),
    file: "decision-table",
    tests: "^(forward|back): reset, then as before$",
  },
  "a rollback that takes any end for restored": {
    swap: executor("judge-restored", 'export const judgeRestored = () => ({ kind: "restored" });'),
    file: "decision-table",
    tests: "^back: 2xx, then something else$",
  },
  "a change over a target that drifted": {
    swap: executor("may-send", "export const mayNotSend = () => null;"),
    file: "drift",
    tests: "^before the change another number was given to it",
  },
  "a policy that grants everything": {
    swap: executor("authorises", "export const authorises = () => true;"),
    file: "refusals",
    tests: "^a policy that grants nothing",
  },
  "a contract that any adapter may execute": {
    swap: executor("is-contracts-adapter", "export const isContractsAdapter = () => true;"),
    file: "refusals",
    tests: "^another version of the way back",
  },
  "a contract that any intent may be executed under": {
    swap: executor("is-contracts-intent", "export const isContractsIntent = () => true;"),
    file: "refusals",
    tests: "^another intent is refused",
  },
  "a request that may go anywhere": {
    swap: executor("request", "export const checkedRequest = (_, built) => built;"),
    file: "refusals",
    tests: "^an adapter that writes to another endpoint",
  },
  "a client that adapters get whole": {
    swap: executor("read-only", "export const readOnly = (client) => client;"),
    file: "refusals",
    tests: "^an adapter that reads a path that isn't listed",
  },
  "a target that nobody asked for": {
    swap: executor("is-asked-for", "export const isAskedFor = () => true;"),
    file: "refusals",
    tests: "^an adapter that reads another target",
  },
  "a snapshot that loses something": {
    swap: executor("is-fit", "export const isFit = () => true;"),
    file: "refusals",
    tests: "^an adapter that reads what a snapshot can't hold",
  },
  "a removed target that counts as unknown": {
    swap: executor("is-conflict", "export const isConflict = () => false;"),
    file: "drift",
    tests: "^after the change it was removed",
  },
  "errors that are passed on as they are": {
    swap: executor(
      "cause",
      `export const causeOf = (failureClass, error = null) => ({ failureClass, exceptionClass: error });
      export const wordFor = ({ code }) => code ?? "UNKNOWN";
      export const valueFree = async (act) => act();`,
    ),
    file: "values",
    tests: "^a read client that throws:",
  },
};

for (const [what, { swap, file, tests }] of Object.entries(MUTANTS)) {
  test(`${what} is noticed`, () => {
    const url = new URL(`./${file}.test.js`, import.meta.url);
    assertNoticed(url, [swap], tests);
  });
}

test("the same tests pass as long as nothing is swapped", () => {
  for (const file of new Set(Object.values(MUTANTS).map((mutant) => mutant.file))) {
    const tests = Object.values(MUTANTS).filter((mutant) => mutant.file === file);
    const pattern = tests.map((mutant) => mutant.tests).join("|");
    const url = new URL(`./${file}.test.js`, import.meta.url);
    const { failed, output } = runTestFileWithSwaps(url, [], pattern);
    assert.equal(failed, false, output);
    assert.match(output, /# pass [1-9]/);
  }
});
