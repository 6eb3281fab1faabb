import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExhaustively } from "../check/index.js";
import { compilePlatform, compileScenario } from "../compile/index.js";
import type { Ruleset } from "../model/index.js";
import {
  applyRuleset,
  deleteOwned,
  listAll,
  type NetworkNamespace,
  openNamespace,
  permitChanges,
} from "../nft/index.js";
import { compareRulesets } from "../readback/index.js";
import { type TestNetwork, testNetwork } from "../ruleset/testing/network.js";
import { boundPlatform, boundScenario } from "../testing/index.js";
import { LAB_REALISATION } from "../testing/lab-kernel.js";
import { rulesetIn } from "./ruleset-in.js";

const OPTIONS = { owner: "test:hand", realisation: LAB_REALISATION } as const;
const scenario = compileScenario(boundScenario, OPTIONS);
const platform = compilePlatform(boundPlatform, OPTIONS);
const expected = [scenario, platform];

/** Both proofs of what the kernel holds: its rules against the compiled ones, and the authored meaning. */
const prove = async (namespace: NetworkNamespace) => {
  const listing = await listAll(namespace);
  const rulesets = (["scenario", "platform"] as const).flatMap((authority): Ruleset[] => {
    const held = rulesetIn(listing, OPTIONS.owner, authority);
    return held === null ? [] : [held];
  });
  return {
    differences: compareRulesets(expected, listing),
    check: checkExhaustively({ scenario: boundScenario, platform: boundPlatform, rulesets }),
  };
};

/** The family that judges flows within a bridge. */
const JUDGES = LAB_REALISATION === "native" ? "bridge" : "inet";

const at = (identity: string) => {
  const { name, chains } = scenario[JUDGES];
  const chain = chains.find(({ rules }) => rules.some((rule) => rule.identity === identity));
  assert.ok(chain !== undefined, identity);
  return { table: `${JUDGES} ${name}`, chain: chain.name, identity };
};

const handleOf = (network: TestNetwork, { table, chain, identity }: ReturnType<typeof at>) => {
  const listed = network.run("nft", ["-a", "list", "chain", ...table.split(" "), chain]);
  const line = listed.split("\n").find((each) => each.includes(`comment "${identity}"`));
  return `${table} ${chain} handle ${/# handle (\d+)/.exec(line ?? "")?.[1]}`;
};

/** A rule of the bridge family written again, with a word before it that nft lists none of. */
const rewritten = (network: TestNetwork, part: string, word: string): string => {
  const { name, chains } = scenario.bridge;
  const [rule] = chains
    .flatMap((chain) => chain.rules.map(({ identity }) => ({ chain: chain.name, identity })))
    .filter(({ identity }) => identity.startsWith(`${part}/`) && identity.endsWith("/ipv4"));
  assert.ok(rule !== undefined, part);
  const listed = network.run("nft", ["-a", "list", "chain", "bridge", name, rule.chain]);
  const line = listed.split("\n").find((each) => each.includes(`comment "${rule.identity}"`)) ?? "";
  const [, body, handle] = /^\s*(.*) # handle (\d+)/.exec(line) ?? [];
  return `replace rule bridge ${name} ${rule.chain} handle ${handle} ${word} ip ${body}`;
};

const established = at("forward/established");

/** What somebody may type, and whether it lets through or stops what it shouldn't. */
const CHANGES: Readonly<Record<string, (network: TestNetwork) => string>> = {
  "a rule is deleted": (network) => `delete rule ${handleOf(network, established)}`,
  "a body is changed and its comment kept": (network) =>
    `replace rule ${handleOf(network, established)} ct state new,established accept comment "${established.identity}"`,
  "an accept is put first": () => `insert rule ${established.table} forward accept`,
  "a frame's inner protocol is asked, which is listed alike": (network) =>
    rewritten(network, "binding", "meta protocol"),
  "the same where it is delivered": (network) => rewritten(network, "delivery", "meta protocol"),
  "a chain is flushed": () => `flush chain ${established.table} ${established.chain}`,
};

test("the kernel's rules are proven by both ways, and a change by hand is found by both", async (t) => {
  const network = testNetwork(t);
  using opened = openNamespace({ kind: "netns", path: network.path });
  const namespace = permitChanges(opened, { allowHostNetwork: false });
  const load = async () => {
    await applyRuleset(namespace, scenario, [platform]);
    await applyRuleset(namespace, platform, [scenario]);
  };
  await load();
  const { differences, check } = await prove(namespace);
  assert.deepEqual(differences, []);
  assert.ok(check.ok && check.cells > 1_000, `${check.differing} of ${check.cells}`);

  for (const part of ["binding", "delivery"]) {
    network.nft(rewritten(network, part, "ether type"));
    assert.deepEqual((await prove(namespace)).differences, [], "control: as it was");
  }

  for (const [what, change] of Object.entries(CHANGES)) {
    await t.test(what, async () => {
      network.nft(change(network));
      const changed = await prove(namespace);
      assert.notDeepEqual(changed.differences, []);
      // A rule that isn't ours makes the table unreadable as one of ours: then it is no ruleset.
      assert.equal(changed.check.ok, false);
      await load();
      assert.deepEqual((await prove(namespace)).differences, []);
    });
  }
  assert.equal((await deleteOwned(namespace, OPTIONS.owner)).length, 4);
});
