import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { topologyJson } from "@drydock/boundary";
import { PLAN_FILE, POLICY_FILE, plan, platformFile, topology } from "@drydock/boundary/testing";
import { type Ending, testHome } from "../../testing/home.js";
import { parseAskedFlow } from "./asked-flow.js";
import { type CompileInputs, compileFiles } from "./compiled.js";

const workplace = (t: Ending) => {
  const home = testHome(t);
  const cwd = join(home.temporary, "work");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "plan.yaml"), PLAN_FILE);
  writeFileSync(join(cwd, "policy.json"), POLICY_FILE);
  writeFileSync(join(cwd, "platform.yaml"), platformFile(`lab@sha256:${"1".repeat(64)}`));
  writeFileSync(join(cwd, "topology.json"), JSON.stringify(topologyJson(topology)));
  const compile = (...args: readonly string[]) =>
    home.run(["boundary", "compile", "plan.yaml", ...args], { cwd });
  return { compile, cwd };
};

const PLATFORM = ["--policy", "policy.json", "--platform", "platform.yaml"];

test("every authored rule is shown with the line that it is from", async (t) => {
  const { compile } = workplace(t);
  const { code, stdout } = await compile();
  assert.equal(code, 0);
  assert.match(stdout, /^# for what apply would make: .*ports are placeholders$/m);
  for (const { owner, name, line } of plan.rules) {
    assert.ok(stdout.includes(`${owner}/rule/${name}/`), name);
    assert.ok(PLAN_FILE.split("\n")[line - 1]?.includes(`name: ${name},`));
    assert.match(stdout, new RegExp(`${owner}/rule/${name}/\\w+"  # plan\\.yaml:${line}$`, "m"));
  }
});

test("the same inputs are the same rules, as JSON and for nft", async (t) => {
  const { compile } = workplace(t);
  const [once, again] = await Promise.all([compile("--nft"), compile("--nft", "--json")]);
  assert.equal(JSON.parse(again.stdout).nft, once.stdout);
});

test("an observed topology takes the place of the planned one", async (t) => {
  const { compile } = workplace(t);
  const { stdout } = await compile("--topology", "topology.json", "--policy", "policy.json");
  assert.match(stdout, /^# for what was observed$/m);
  assert.match(stdout, /^# br-lan is provision\.network\.lan, 10\.60\.1\.0\/24$/m);
  assert.match(stdout, /crossing\/participant-management\/.*# policy\.json:\d+$/m);
});

test("--explain says who decides, and ends with 1 where that is denial", async (t) => {
  const { compile } = workplace(t);
  const allowed = await compile("--explain", "web", "database", "tcp", "5432");
  assert.equal(allowed.code, 0);
  assert.match(allowed.stdout, /^allow: tcp\/5432 from web@dmz/);
  assert.match(allowed.stdout, /"dmz-to-database" .*\(plan\.yaml:20\)/);
  const denied = await compile("--json", "--explain", "attacker", "database", "tcp", "5432");
  assert.equal(denied.code, 1);
  const { action, path, words } = JSON.parse(denied.stdout);
  assert.deepEqual([action, path], ["deny", "routed"]);
  assert.equal(words.filter(({ decides }: { decides: boolean }) => decides).length, 1);
});

test("--check compares the rules with what plan and policy mean", async (t) => {
  const { compile } = workplace(t);
  const { code, stdout } = await compile("--json", "--check", ...PLATFORM);
  assert.equal(code, 0);
  const { ok, cells } = JSON.parse(stdout);
  assert.ok(ok && cells > 1_000);
});

test("a question that can't be understood is a wrong command line", async (t) => {
  const { compile, cwd } = workplace(t);
  const { code, stderr, stdout } = await compile("--explain", "web", "database", "tcp");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /is no service/);

  const options = { owner: "seat", realisation: "native" } as const;
  const compiled = compileFiles(join(cwd, "plan.yaml"), options);
  for (const [asked, said] of [
    ["web database", /takes a source/],
    ["web database tcp 80 81", /takes a source/],
    ["web database tcp 65536", /is no service/],
    ["web database icmp 7", /is no service/],
    ["nobody database tcp 80", /nobody is called/],
    ["sensor database tcp 80", /on more than one network/],
  ] as const) {
    const refusal = { code: "USAGE", message: said };
    assert.throws(() => parseAskedFlow(compiled, asked.split(" ")), refusal, asked);
  }
  assert.equal(parseAskedFlow(compiled, "sensor@lan database tcp 80".split(" ")).service.port, 80);
});

test("flags that contradict each other, or lack one another, are refused", async (t) => {
  const { cwd } = workplace(t);
  const at = (name: string) => join(cwd, name);
  const policy = at("policy.json");
  const platform = at("platform.yaml");
  const options = { owner: "seat", realisation: "native" } as const;
  const given = (inputs: Partial<CompileInputs>) =>
    compileFiles(at("plan.yaml"), { ...options, ...inputs });
  assert.equal(given({ policy, platform }).rulesets.length, 2);
  for (const inputs of [
    { policy },
    { platform },
    { policy, platform, topology: at("topology.json") },
  ]) {
    assert.throws(() => given(inputs), { code: "USAGE" });
  }
});
