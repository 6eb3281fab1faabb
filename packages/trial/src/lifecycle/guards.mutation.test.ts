import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

const TESTS = new URL("./step.test.js", import.meta.url);

const MUTATIONS = [
  {
    what: "the guest is killed before the channels are revoked",
    file: "route.js",
    from: '{ phase: "KILLING", do: "revokeChannels" },',
    to: "",
  },
  {
    what: "a revocation needn't be durable",
    file: "route.js",
    from: '{ phase: "KILLING", do: "checkpoint" },',
    to: "",
  },
  {
    what: "no look at the halt state before BOOT",
    file: "route.js",
    from: '{ phase: "BOOT", do: "checkHalt", before: "boot" },',
    to: "",
  },
  {
    what: "no look at the halt state before a grant",
    file: "route.js",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the compiled text.
    from: '{ phase: "HANDSHAKE", do: "checkHalt", before: `grant:${channel}` },',
    to: "",
  },
  {
    what: "the way out stays open while artifacts are collected",
    file: "route.js",
    from: '...quiesced.map((channel) => ({ phase: "QUIESCE", do: "revokeChannel", channel })),',
    to: "",
  },
  {
    what: "booting without a journal entry",
    file: "route.js",
    from: '{ phase: "SEAL", do: "appendJournal" },',
    to: "",
  },
  {
    what: "PASS for an end that isn't known",
    file: "ending.js",
    from: 'derived === "PASS" ? ceiling : derived',
    to: "derived",
  },
  {
    what: "a body counts as gone because it was asked to go",
    file: "finish.js",
    from: 'isBodyGone(state) ? "settle" : "hold"',
    to: '"settle"',
  },
] as const;

for (const { what, file, from, to } of MUTATIONS) {
  test(`a test fails when ${what}`, () => {
    const module = new URL(`./${file}`, import.meta.url);
    const source = readFileSync(module, "utf8");
    assert.ok(source.includes(from), `${file} has changed: mutate it anew`);
    const swap = {
      module: `packages/trial/dist/lifecycle/${file}`,
      source: source.replace(from, to),
    };
    assertNoticed(TESTS, [swap]);
  });
}

test("unmutated, the same tests pass", () => {
  const { failed, output } = runTestFileWithSwaps(TESTS, []);
  assert.equal(failed, false, output);
});
