import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareSettings, expectedSettings } from "../readback/index.js";
import { SCENARIO } from "../readback/testing/rulesets.js";
import { testNetwork } from "../ruleset/testing/network.js";
import { applyRuleset } from "./apply.js";
import { permitChanges } from "./host-namespace.js";
import { openNamespace } from "./namespace.js";
import { probeRealisation } from "./probe.js";
import { readBack } from "./read-back.js";
import { readSettings, writeSettings } from "./settings.js";

describe("settings of a namespace", () => {
  it("are written where they aren't right, and read back with the rules", async (t) => {
    const network = testNetwork(t);
    network.run("ip", ["link", "add", "br-one", "type", "bridge", "nf_call_iptables", "1"]);
    using opened = openNamespace({ kind: "netns", path: network.path });
    const namespace = permitChanges(opened, { allowHostNetwork: false });
    await applyRuleset(namespace, SCENARIO);
    for (const realisation of ["br_netfilter", "native"] as const) {
      const scope = { realisation, bridges: ["br-one"], routes: true };
      const settings = expectedSettings(scope);
      assert.notDeepEqual((await readBack(namespace, [SCENARIO], scope)).differences, []);
      await writeSettings(namespace, settings);
      assert.deepEqual((await readBack(namespace, [SCENARIO], scope)).differences, []);
    }
    const values = await readSettings(namespace, [
      ...["bridge/br-one/nf_call_iptables", "bridge/br-two/nf_call_iptables"],
      ...["net/ipv4/ip_forward", "net/ipv4/no_such_thing"],
    ]);
    assert.deepEqual(Object.fromEntries(values), {
      "bridge/br-one/nf_call_iptables": "0",
      "bridge/br-two/nf_call_iptables": null,
      "net/ipv4/ip_forward": "1",
      "net/ipv4/no_such_thing": null,
    });
  });

  it("show rules of iptables-legacy, which nft doesn't list", async (t) => {
    const network = testNetwork(t);
    using namespace = openNamespace({ kind: "netns", path: network.path });
    const scope = { realisation: "br_netfilter", bridges: [], routes: false } as const;
    const legacy = expectedSettings(scope).filter(({ name }) => name === "proc/ip_tables_names");
    const names = legacy.map(({ name }) => name);
    assert.deepEqual(compareSettings(legacy, await readSettings(namespace, names)), []);
    network.run("iptables-legacy", [
      "-t",
      "mangle",
      "-A",
      "FORWARD",
      "-j",
      "MARK",
      "--set-mark",
      "1",
    ]);
    const [found] = compareSettings(legacy, await readSettings(namespace, names));
    assert.equal(found?.found, "mangle");
  });

  it("are no way to another file", async (t) => {
    const network = testNetwork(t);
    using namespace = openNamespace({ kind: "netns", path: network.path });
    for (const name of [
      "net/../kernel/core_pattern",
      "kernel/core_pattern",
      "proc/../x",
      "net/a\n",
    ]) {
      await assert.rejects(readSettings(namespace, [name]), { code: "SETTING_UNKNOWN" }, name);
    }
  });
});

describe("the kernel's realisation", () => {
  it("is found by loading rules, where nobody else is", async (t) => {
    const network = testNetwork(t);
    using namespace = openNamespace({ kind: "netns", path: network.path });
    const probed = await probeRealisation(namespace);
    t.diagnostic(JSON.stringify(probed));
    assert.notEqual(probed.kind, "refuses");
    assert.equal(network.run("nft", ["list", "tables"]), "");
    // Control: what was said to work does, and the other is what the kernel refuses.
    const load = () => network.nft(NATIVE);
    if (probed.kind === "native") load();
    else assert.throws(load, /Operation not supported|Protocol error|No such file/);
  });
});

const NATIVE = `table bridge probe {
chain c {
type filter hook forward priority 0
meta ibrname "a" ct state new drop
}
}
`;
