import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { PLAN_FILE } from "@drydock/boundary/testing";
import type { PolicyInput } from "@drydock/broker";
import { VERBS, type Verb } from "@drydock/trial";
import { type Ended, type TestHome, testHome } from "../testing/home.js";
import { whatIsLeft } from "../testing/left.js";
import { readRecords } from "../testing/records.js";
import { suiteEndings } from "../testing/suite.js";
import { codesOf, summaryOf } from "../testing/summary.js";
import { withEtc } from "../testing/wrappers.js";

const POLICY: PolicyInput = {
  schema: "drydock.egress/v1",
  authorities: [{ name: "api.example.com", port: 443, protocol: "tls", purpose: "an example" }],
  resolvers: [{ address: "192.0.2.53" }],
};

/** Each verb as somebody would use it; words in capitals stand for what only exists later. */
const CALLS: Readonly<Record<Verb, readonly string[]>> = {
  run: ["run", "--json", "--", "true"],
  shell: ["shell"],
  verify: ["verify", "EVIDENCE"],
  "image build": ["image", "build", "base"],
  "image import": ["image", "import", "/no/such/archive", "--name", "x"],
  "image list": ["image", "list"],
  "image inspect": ["image", "inspect", "base"],
  "image prune": [],
  "trials list": ["trials", "list"],
  "trials show": ["trials", "show", "RUN"],
  "trials gc": ["trials", "gc"],
  "keys init": [],
  "keys list": ["keys", "list"],
  "keys export": ["keys", "export"],
  "keys rotate": [],
  "keys revoke": [],
  "egress check": ["egress", "check", "POLICY", "api.example.com:443"],
  "egress serve": ["egress", "serve", "--listen", "127.0.0.1:0", "--policy", "POLICY"],
  "boundary compile": ["boundary", "compile", "PLAN"],
  "boundary apply": ["boundary", "apply", "PLAN", "--dev", "--namespace", "/run/netns/none"],
  "boundary gate": [
    ...["boundary", "gate", "PLAN", "--phase", "start", "--namespace", "/run/netns/none"],
    ...["--policy", "P", "--platform", "P", "--release", "R", "--signature", "S", "--key", "K"],
    ...["--binding", "B", "--host-key", "H"],
  ],
  "lab accept": ["lab", "accept"],
  // These need an appliance.
  "boundary observe": [],
  "boundary watch": [],
  "boundary observe-host": [],
  "boundary release": [],
  "boundary clear": [],
  "lab appliance": ["lab", "appliance"],
  "lab evidence-env": ["lab", "evidence-env"],
  // Ask an appliance, as a preflight does, and there is none.
  "lab preflight": [],
  "lab dry-run": [],
  "lab conformance": ["lab", "conformance", "/etc/no-adapter.js"],
  "faults serve": ["faults", "serve", "--listen", "127.0.0.1:0"],
  sign: ["sign", "/etc/hostname", "--namespace", "plan"],
  "halt on": ["halt", "on", "--reason", "again"],
  "halt off": [],
  "halt status": ["halt", "status"],
  doctor: [],
};

describe("halt", () => {
  const endings = suiteEndings();
  let home: TestHome;
  let stopped: Ended;
  const evidence = (): string => summaryOf(stopped).evidence ?? "";

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
  });

  const lookAt = (directory: string): readonly string[] =>
    readdirSync(directory).flatMap((name) =>
      ["keys", "runs", "halt", "journal"].includes(name)
        ? readdirSync(join(directory, name)).map((file) => `${name}/${file}`)
        : [name],
    );

  test("on kills a live run, its channels first, and returns when it is gone", async (t) => {
    const live = home.start(["run", "--json", "--", "sh", "-c", "echo up; sleep 600"]);
    live.child.stdin?.end();
    await live.says("up");
    const on = await home.run(["halt", "on", "--json", "--reason", "smoke in the rack"]);
    assert.equal(on.code, 0, on.stderr);
    t.diagnostic(`halt on took ${Math.round(on.ms)} ms`);
    const { stopped: names, notStopped } = JSON.parse(on.stdout);
    assert.deepEqual(await whatIsLeft(home), [], "nothing of it lives when halt on has returned");

    stopped = await live.ended;
    assert.equal(stopped.code, 122, stopped.stderr);
    const summary = summaryOf(stopped);
    assert.equal(summary.verdict, "INCOMPLETE");
    assert.match(summary.findings[0]?.message ?? "", /halted/);
    assert.deepEqual([names, notStopped], [[summary.run], []]);

    const types = readRecords(evidence(), "controller").map(({ type }) => type);
    const [lastRevoked, kill] = [types.lastIndexOf("channel.revoked"), types.indexOf("kill")];
    assert.ok(lastRevoked !== -1 && lastRevoked < kill, types.join());
    assert.equal(types.filter((type) => type === "channel.revoked").length, 2);
  });

  test("while it is on, every dynamic verb refuses and touches nothing", async () => {
    const looks = lookAt(home.directory);
    for (const [verb, kind] of Object.entries(VERBS)) {
      if (kind !== "dynamic") continue;
      const refused = await home.run(CALLS[verb as Verb]);
      assert.equal(
        refused.code,
        ["run", "shell"].includes(verb) ? 126 : 6,
        `${verb}: ${refused.stderr}`,
      );
      assert.match(refused.stderr, /a halt is on: .*smoke in the rack/, verb);
      assert.match(refused.stderr, /fix: .*halt status/, verb);
      assert.deepEqual(lookAt(home.directory), looks, verb);
    }
    const summary = summaryOf(await home.run(CALLS.run));
    assert.deepEqual([summary.verdict, codesOf(summary)], ["BLOCKED", ["HALTED"]]);
  });

  test("while it is on, static verbs work", async () => {
    const policy = join(home.temporary, "..", "policy.json");
    writeFileSync(policy, JSON.stringify(POLICY));
    const plan = join(home.temporary, "..", "plan.yaml");
    writeFileSync(plan, PLAN_FILE);
    for (const [verb, kind] of Object.entries(VERBS)) {
      if (kind !== "static" || CALLS[verb as Verb].length === 0) continue;
      const words = { EVIDENCE: evidence(), RUN: summaryOf(stopped).run ?? "" };
      const known: Readonly<Record<string, string>> = { ...words, POLICY: policy, PLAN: plan };
      const call = CALLS[verb as Verb].map((word) => known[word] ?? word);
      const { code, stderr } = await home.run(call);
      // The evidence of the run that was stopped is what verify has to say about it.
      assert.equal(code, verb === "verify" ? 4 : 0, `${verb}: ${stderr}`);
    }
  });

  test("off is signed, kept on record, and lets runs start again", async () => {
    const halt = join(home.directory, "halt");
    const off = await home.run(["halt", "off", "--json", "--reason", "it was the toaster"]);
    assert.equal(off.code, 0, off.stderr);
    assert.equal(JSON.parse(off.stdout).halted, false);
    const records = readdirSync(halt).map((name) => readFileSync(join(halt, name), "utf8"));
    const lifted = records.find((text) => text.includes("it was the toaster")) ?? "";
    const key = (await home.run(["keys", "list", "--json"])).stdout;
    assert.ok(lifted.includes(JSON.parse(key).keys[0].keyId), lifted);
    const ran = await home.run(["run", "--json", "--", "true"]);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(summaryOf(ran).verdict, "PASS");
  });

  test("a machine-wide halt holds for a state directory that doesn't exist yet, and makes none", async () => {
    const fresh = join(home.temporary, "..", "fresh");
    const wrapper = withEtc("mkdir -p /etc/drydock && touch /etc/drydock/halt");
    const env = { DRYDOCK_HOME: fresh };
    const refused = await home.run(["run", "--json", "--", "true"], { env, wrapper });
    assert.equal(refused.code, 126, refused.stderr);
    assert.match(refused.stderr, /\/etc\/drydock\/halt/);
    assert.equal(existsSync(fresh), false);
  });
});
