import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { compareRulesets } from "../readback/index.js";
import { OWNER, SCENARIO } from "../readback/testing/rulesets.js";
import { sealRuleset } from "../ruleset/index.js";
import { testNetwork } from "../ruleset/testing/network.js";
import { applyRuleset } from "./apply.js";
import { permitChanges } from "./host-namespace.js";
import { listAll } from "./list.js";
import { openNamespace } from "./namespace.js";
import { PreparedRules } from "./prepared.js";
import { Resident } from "./resident.js";

const FLOOR = sealRuleset({
  owner: OWNER,
  authority: "scenario",
  realisation: "br_netfilter",
  inet: [],
  bridge: [],
});

const enter = (t: TestContext) => {
  const network = testNetwork(t);
  const opened = openNamespace({ kind: "netns", path: network.path });
  t.after(() => opened[Symbol.dispose]());
  const namespace = permitChanges(opened, { allowHostNetwork: false });
  const prepared = new PreparedRules(namespace);
  t.after(() => prepared[Symbol.dispose]());
  return { network, namespace, prepared };
};

/** Of this process, by name. */
const childrenCalled = (name: string): readonly string[] =>
  readdirSync(`/proc/${process.pid}/task`)
    .flatMap((task) =>
      readFileSync(`/proc/${process.pid}/task/${task}/children`, "latin1").trim().split(" "),
    )
    .filter((pid) => pid !== "" && commandOf(pid) === name);

const commandOf = (pid: string): string | null => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
  } catch {
    // It ended meanwhile.
    return null;
  }
};

describe("rules that are prepared", () => {
  it("are in the place of whatever has their tables' names, ours or somebody else's", async (t) => {
    const { network, namespace, prepared } = enter(t);
    await applyRuleset(namespace, SCENARIO);
    prepared.prepare([FLOOR]);
    assert.deepEqual(await prepared.load(), []);
    assert.deepEqual(compareRulesets([FLOOR], await listAll(namespace)), []);

    const { name } = FLOOR.inet;
    network.run("nft", ["delete", "table", "inet", name]);
    network.nft(
      `table inet ${name} {\nchain c {\ntype filter hook forward priority -400\naccept\n}\n}\n`,
    );
    await assert.rejects(applyRuleset(namespace, FLOOR), { code: "TABLE_FOREIGN" }, "control");
    assert.deepEqual(await prepared.load(), []);
    assert.deepEqual(compareRulesets([FLOOR], await listAll(namespace)), []);
  });

  it("aren't loaded again where they hold, and are where they don't", async (t) => {
    const { network, prepared } = enter(t);
    prepared.prepare([FLOOR]);
    await prepared.load();
    const before = network.run("nft", ["-a", "list", "ruleset"]);
    assert.deepEqual(await prepared.keep(), []);
    assert.equal(network.run("nft", ["-a", "list", "ruleset"]), before);
    network.run("nft", ["delete", "table", "bridge", FLOOR.bridge.name]);
    assert.deepEqual(await prepared.keep(), []);
    assert.match(network.run("nft", ["list", "tables"]), /table bridge/);
  });

  it("say what they can't mend", async (t) => {
    const { network, prepared } = enter(t);
    network.nft(
      "table inet other {\nchain c {\ntype filter hook forward priority -400\naccept\n}\n}\n",
    );
    prepared.prepare([FLOOR]);
    const kinds = (await prepared.load()).map(({ kind }) => kind);
    // Without a chain of its own at that hook nothing stands before it.
    assert.deepEqual(kinds, []);
    prepared.prepare([SCENARIO]);
    assert.deepEqual(
      (await prepared.load()).map(({ kind }) => kind),
      ["foreign-accept"],
    );
    assert.deepEqual(
      (await prepared.keep()).map(({ kind }) => kind),
      ["foreign-accept"],
    );
  });

  it("are loaded all the same where nft was killed, and nothing is left of it", async (t) => {
    const { prepared } = enter(t);
    prepared.prepare([FLOOR]);
    await prepared.load();
    const [nft = ""] = childrenCalled("nft");
    execFileSync("kill", ["-9", nft]);
    prepared.prepare([SCENARIO]);
    assert.deepEqual(await prepared.load(), []);
    assert.deepEqual(await prepared.keep(), []);
    prepared[Symbol.dispose]();
    for (let tries = 0; childrenCalled("nft").length > 0; tries += 1) {
      assert.ok(tries < 1_000, "it was killed");
      await pause(10);
    }
  });
});

describe("a program that stays", () => {
  const resident = (t: TestContext, script: string, maxBytes = 1_000) => {
    const { namespace } = enter(t);
    const opened = new Resident(namespace, "bash", ["-c", script], { maxBytes });
    t.after(() => opened[Symbol.dispose]());
    return opened;
  };

  it("answers each question with its own line, in order", async (t) => {
    const echo = resident(t, 'while read -r line; do echo "$line"; echo; done');
    const asked = Array.from({ length: 50 }, (_, index) => `question ${index}`);
    assert.deepEqual(await Promise.all(asked.map((text) => echo.ask(text))), asked);
  });

  it("that ends fails what was asked of it, and is started again for what is asked next", async (t) => {
    const once = resident(t, "read -r line; echo once; read -r line; exit");
    assert.equal(await once.ask("one"), "once");
    await assert.rejects(once.ask("two"), { code: "TOOL_FAILED" });
    assert.equal(await once.ask("three"), "once");
  });

  it("that says more than it may is ended", async (t) => {
    const loud = resident(t, "read -r line; printf '%2000d' 1; read -r line");
    await assert.rejects(loud.ask("one"), { code: "TOOL_FLOODED" });
  });
});
