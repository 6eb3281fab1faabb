import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { Chain, Family, Ruleset } from "../model/index.js";
import { tableOf } from "./listing.js";
import { parseNftJson } from "./parse.js";
import { printTables } from "./print.js";
import { digestOf, sealRuleset } from "./seal.js";
import { arbitraryChains } from "./testing/arbitrary.js";
import { testNetwork } from "./testing/network.js";

const OWNER = "test:kernel";

/** Each has hundreds of rules; and loading, which asks the kernel, is slow beside generating. */
const RUNS = Math.max(10, Math.min(profile.fuzz / 20, 400));

test("what is written, loaded by the kernel, listed and read is what was meant", (t) => {
  const network = testNetwork(t);
  let rules = 0;
  fc.assert(
    fc.property(
      arbitraryChains("inet", { native: false }),
      arbitraryChains("bridge", { native: false }),
      (inet, bridge) => {
        const ruleset = sealRuleset({
          owner: OWNER,
          authority: "scenario",
          realisation: "br_netfilter",
          inet: withoutContradictions("inet", inet),
          bridge: withoutContradictions("bridge", bridge),
        });
        rules += [ruleset.inet, ruleset.bridge]
          .flatMap(({ chains }) => chains)
          .reduce((sum, chain) => sum + chain.rules.length, 0);
        network.nft(printTables(ruleset));
        assertRead(parseNftJson(network.listing()), ruleset);
      },
    ),
    // A rule that fails is named, so that there is nothing to shrink.
    { numRuns: RUNS, seed: profile.seed, endOnFailure: true },
  );
  t.diagnostic(`${rules} rules in ${RUNS} rulesets`);
  assert.ok(rules > RUNS * 100, "most rules contradicted themselves");
});

const assertRead = (listing: ReturnType<typeof parseNftJson>, ruleset: Ruleset): void => {
  const foreign = listing.tables
    .flatMap(({ chains }) => chains)
    .flatMap((chain) => chain.rules)
    .filter(({ rule }) => rule === null);
  assert.deepEqual(foreign, []);
  const tables = listing.tables.map(tableOf);
  const inet = tables.find((table) => table?.family === "inet");
  const bridge = tables.find((table) => table?.family === "bridge");
  assert.deepEqual(inet, ruleset.inet);
  assert.deepEqual(bridge, ruleset.bridge);
  assert.ok(inet !== undefined && inet !== null && bridge !== undefined && bridge !== null);
  assert.equal(digestOf({ ...ruleset, inet, bridge }), ruleset.digest);
};

/** Leaves out the rules that sealing refuses: they contradict themselves. */
const withoutContradictions = (family: Family, chains: readonly Chain[]): readonly Chain[] =>
  chains.map((chain) => ({
    ...chain,
    rules: chain.rules.filter((rule) =>
      isAccepted(family, [
        { name: "probe", base: null, rules: [rule] },
        ...["to_a", "to_b"].map((name) => ({ name, base: null, rules: [] })),
      ]),
    ),
  }));

const isAccepted = (family: Family, chains: readonly Chain[]): boolean => {
  try {
    sealRuleset({
      owner: OWNER,
      authority: "scenario",
      realisation: "br_netfilter",
      inet: family === "inet" ? chains : [],
      bridge: family === "bridge" ? chains : [],
    });
    return true;
  } catch (error) {
    if (isDrydockError(error) && error.code === "RULESET_INVALID") return false;
    throw error;
  }
};
