import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { compareRulesets } from "../readback/index.js";
import { OWNER, PLATFORM, SCENARIO } from "../readback/testing/rulesets.js";
import { printTables, sealRuleset } from "../ruleset/index.js";
import { type TestNetwork, testNetwork } from "../ruleset/testing/network.js";
import { applyRuleset } from "./apply.js";
import { deleteOwned } from "./delete-owned.js";
import { type ChangeableNamespace, permitChanges } from "./host-namespace.js";
import { listAll } from "./list.js";
import { openNamespace, TOOL_DIRECTORIES } from "./namespace.js";
import { countConnections, rememberConnection } from "./testing/connections.js";

const enter = (t: TestContext): { network: TestNetwork; namespace: ChangeableNamespace } => {
  const network = testNetwork(t);
  const namespace = openNamespace({ kind: "netns", path: network.path });
  t.after(() => namespace[Symbol.dispose]());
  return { network, namespace: permitChanges(namespace, { allowHostNetwork: false }) };
};

const floor = sealRuleset({
  owner: OWNER,
  authority: "scenario",
  realisation: "br_netfilter",
  inet: [],
  bridge: [],
});

describe("applying a ruleset", () => {
  it("puts it there, finds it there, replaces it, and takes it away again", async (t) => {
    const { network, namespace } = enter(t);
    network.nft("table inet other {\nchain c {\n}\n}\n");
    const first = await applyRuleset(namespace, SCENARIO);
    assert.deepEqual(first, { digest: SCENARIO.digest, previous: null, changed: true });
    const again = await applyRuleset(namespace, SCENARIO);
    assert.deepEqual(again, { digest: SCENARIO.digest, previous: SCENARIO.digest, changed: false });
    const replaced = await applyRuleset(namespace, floor);
    assert.deepEqual(replaced, { digest: floor.digest, previous: SCENARIO.digest, changed: true });
    assert.deepEqual(compareRulesets([floor], await listAll(namespace)), []);

    const { name } = SCENARIO.inet;
    assert.deepEqual(await deleteOwned(namespace, OWNER), [`inet ${name}`, `bridge ${name}`]);
    assert.deepEqual(await deleteOwned(namespace, OWNER), []);
    const left = (await listAll(namespace)).tables.map((table) => table.name);
    assert.deepEqual(left, ["other"]);
  });

  it("takes the rulesets beside it for what they are, in either order", async (t) => {
    const { network, namespace } = enter(t);
    await applyRuleset(namespace, PLATFORM, [SCENARIO]);
    await applyRuleset(namespace, SCENARIO, [PLATFORM]);
    assert.deepEqual(compareRulesets([SCENARIO, PLATFORM], await listAll(namespace)), []);
    // Control: one that nobody spoke of accepts at an earlier priority.
    const before = network.run("nft", ["-a", "list", "ruleset"]);
    await assert.rejects(applyRuleset(namespace, SCENARIO), { code: "APPLY_UNPROVEN" });
    const after = network.run("nft", ["-a", "list", "ruleset"]);
    assert.equal(after, before, "what is held already isn't written again, by any handle");
  });

  it("puts a changed rule right", async (t) => {
    const { network, namespace } = enter(t);
    await applyRuleset(namespace, SCENARIO);
    network.run("nft", ["flush", "chain", "inet", SCENARIO.inet.name, "forward"]);
    assert.notDeepEqual(compareRulesets([SCENARIO], await listAll(namespace)), []);
    assert.equal((await applyRuleset(namespace, SCENARIO)).changed, true);
    assert.deepEqual(compareRulesets([SCENARIO], await listAll(namespace)), []);
  });

  it("names what is missing where somebody takes it away before it is read back", async (t) => {
    const { network } = enter(t);
    const { name } = SCENARIO.inet;
    const gone = (...families: string[]) =>
      families.map((family) => `delete table ${family} ${name}`).join("; ");
    const handle = { kind: "netns", path: network.path } as const;
    // The second run loads, the third says the digest, the fourth reads back.
    const cases = [
      [3, gone("inet", "bridge"), [`"inet ${name}" is missing`, `"bridge ${name}" is missing`]],
      [4, gone("inet", "bridge"), [`"inet ${name}" is missing`, `"bridge ${name}" is missing`]],
      [4, gone("bridge"), [`"bridge ${name}" is missing`]],
      [
        4,
        `delete chain inet ${name} about; ${gone("bridge")}`,
        [`"inet ${name}" doesn't say that it is this boundary's`, `"bridge ${name}" is missing`],
      ],
      [4, `flush chain inet ${name} forward`, ['rule-missing in table "inet', "and "]],
    ] as const;
    for (const [run, change, said] of cases) {
      const directory = temporaryDirectory(t);
      const script = `#!/bin/sh
real="$(PATH=${TOOL_DIRECTORIES.join(":")} command -v nft)"
echo >>${directory}/runs
[ "$(wc -l <${directory}/runs)" -ne ${run} ] || "$real" '${change}'
exec "$real" "$@"
`;
      writeFileSync(join(directory, "nft"), script, { mode: 0o755 });
      using opened = openNamespace(handle, [directory, ...TOOL_DIRECTORIES]);
      const watched = permitChanges(opened, { allowHostNetwork: false });
      await assert.rejects(applyRuleset(watched, SCENARIO), (error) => {
        assert.ok(isDrydockError(error) && error.code === "APPLY_UNPROVEN", `${error}`);
        for (const part of said) assert.ok(error.message.includes(part), error.message);
        assert.match(error.fix ?? "", /apply again/);
        return true;
      });
      network.nft("flush ruleset");
      assert.equal((await applyRuleset(watched, SCENARIO)).changed, true, "control: nobody does");
      network.nft("flush ruleset");
    }
  });

  it("forgets connections that began under other rules, and only then", async (t) => {
    const { network, namespace } = enter(t);
    rememberConnection(network);
    assert.equal(countConnections(network), 1);
    await applyRuleset(namespace, SCENARIO);
    assert.equal(countConnections(network), 0);
    rememberConnection(network);
    await applyRuleset(namespace, SCENARIO);
    assert.equal(countConnections(network), 1, "control: nothing was changed");
    await applyRuleset(namespace, floor);
    assert.equal(countConnections(network), 0);
  });

  it("doesn't take rules for whole before connections from before them are forgotten", async (t) => {
    const { network, namespace } = enter(t);
    // Where conntrack is killed, or who would have started it, the rules are loaded and nothing is forgotten.
    const killed = temporaryDirectory(t);
    writeFileSync(join(killed, "conntrack"), "#!/bin/sh\nkill -9 $$\n", { mode: 0o755 });
    const handle = { kind: "netns", path: network.path } as const;
    using opened = openNamespace(handle, [killed, ...TOOL_DIRECTORIES]);
    const interrupted = permitChanges(opened, { allowHostNetwork: false });
    rememberConnection(network);
    await assert.rejects(applyRuleset(interrupted, SCENARIO), { code: "TOOL_FAILED" });
    assert.equal(countConnections(network), 1);
    const kinds = compareRulesets([SCENARIO], await listAll(namespace)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["table-comment", "table-comment"], "the rules are there");

    const { changed } = await applyRuleset(namespace, SCENARIO);
    assert.deepEqual([changed, countConnections(network)], [true, 0]);
    assert.deepEqual(compareRulesets([SCENARIO], await listAll(namespace)), []);
    rememberConnection(network);
    await applyRuleset(namespace, SCENARIO);
    assert.equal(countConnections(network), 1, "control: nothing was left to do");
  });

  it("refuses a table of its name that it didn't make, before anything is changed", async (t) => {
    const { network, namespace } = enter(t);
    const { name } = SCENARIO.inet;
    for (const family of ["inet", "bridge", "ip"]) {
      network.nft(`table ${family} ${name} {\nchain c {\ndrop comment "theirs"\n}\n}\n`);
      const before = network.listing().toString("utf8");
      await assert.rejects(applyRuleset(namespace, SCENARIO), { code: "TABLE_FOREIGN" });
      await assert.rejects(deleteOwned(namespace, OWNER), { code: "TABLE_FOREIGN" });
      assert.equal(network.listing().toString("utf8"), before);
      network.nft(`delete table ${family} ${name}\n`);
    }
    // One without chains is met by the transaction itself.
    network.nft(`table inet ${name} {\nset s {\ntype ipv4_addr\n}\n}\n`);
    const before = network.listing().toString("utf8");
    await assert.rejects(applyRuleset(namespace, SCENARIO), { code: "TABLE_FOREIGN" });
    assert.equal(network.listing().toString("utf8"), before);
    network.nft(`delete table inet ${name}\n`);
    assert.equal((await applyRuleset(namespace, SCENARIO)).changed, true, "control");
  });

  it("changes nothing when a program is missing that it needs later", async (t) => {
    const { network } = enter(t);
    const directory = temporaryDirectory(t);
    for (const tool of ["nft", "nsenter"]) {
      network.run("ln", ["-s", `/usr/bin/env`, `${directory}/unused-${tool}`]);
    }
    using namespace = openNamespace({ kind: "netns", path: network.path }, [directory]);
    const changeable = permitChanges(namespace, { allowHostNetwork: false });
    await assert.rejects(applyRuleset(changeable, SCENARIO), { code: "NFT_MISSING" });
    assert.equal(network.run("nft", ["list", "tables"]), "");
  });

  it("loads all of a transaction or nothing", async (t) => {
    const { network, namespace } = enter(t);
    await applyRuleset(namespace, SCENARIO);
    const before = network.listing().toString("utf8");
    // What only the second table's last line has wrong.
    const broken = printTables(floor).replace(/\}\n$/, "\tchain x {\n\t\tjump nowhere\n\t}\n}\n");
    assert.throws(() => network.nft(broken), /nowhere|No such file/);
    assert.equal(network.listing().toString("utf8"), before);
  });
});
