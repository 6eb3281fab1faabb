import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PLAN_FILE, startEngineLab } from "@drydock/boundary/testing";
import { temporaryDirectory } from "@drydock/testkit";
import { testHome } from "../../testing/home.js";

const OWNER = "dd-evidence";
/** Nine containers on a machine that is busy. */
const WITHIN_MS = 600_000;

test("an apply leaves evidence that verifies, one that is interrupted too, and neither hides", async (t) => {
  const lab = await startEngineLab(t);
  const home = testHome(t);
  const plan = join(temporaryDirectory(t), "plan.yaml");
  writeFileSync(plan, PLAN_FILE);
  const applying = (...more: readonly string[]) => [
    ...["boundary", "apply", plan, "--dev", "--helper-image", `lab@${lab.image}`],
    ...["--owner", OWNER, "--namespace", lab.namespace, "--docker-socket", lab.socket],
    ...["--json", ...more],
  ];
  const apply = (...more: readonly string[]) =>
    home.run(applying(...more), { withinMs: WITHIN_MS });
  const verify = async (directory: string) => {
    const { stdout } = await home.run(["verify", directory, "--json", "--rederive"]);
    return JSON.parse(stdout);
  };
  const codesOf = ({ findings }: { readonly findings: readonly { readonly code: string }[] }) =>
    findings.map(({ code }) => code);

  // An engine that is elsewhere, whatever it has, is refused by all that believe an engine.
  const other = await startEngineLab(t);
  for (const verb of ["apply", "observe", "clear"]) {
    const place = ["--owner", OWNER, "--namespace", lab.namespace];
    const about = verb === "clear" ? [] : [plan, "--dev", "--helper-image", `lab@${lab.image}`];
    const asking = (socket: string) =>
      home.run(["boundary", verb, ...about, ...place, "--docker-socket", socket]);
    const { code, stderr } = await asking(other.socket);
    assert.notEqual(code, 0);
    assert.match(stderr, /\(APPLY_ENGINE_ELSEWHERE\)/, verb);
    if (verb === "apply") continue;
    const own = await asking(lab.socket);
    assert.doesNotMatch(own.stderr, /ELSEWHERE/, `control: ${verb}`);
  }

  // A signal is an end like any other: told of, with a verdict, and gone on from by the next one.
  const interruptedAt = join(temporaryDirectory(t), "interrupted");
  const started = home.start(applying("--evidence", interruptedAt), { withinMs: WITHIN_MS });
  await started.says("making networks");
  started.child.kill("SIGINT");
  const signalled = await started.ended;
  assert.equal(signalled.code, 4, signalled.stderr);
  assert.match(signalled.stderr, /\(INTERRUPTED\)/);
  const told = await verify(interruptedAt);
  assert.deepEqual([told.integrity, told.verdict], ["intact", "INCOMPLETE"]);

  // What can't say anything any more is marked by whoever cleans up.
  const killed = home.start(applying(), { withinMs: WITHIN_MS });
  await killed.says("loading the scenario's rules");
  killed.child.kill("SIGKILL");
  await killed.ended;
  const listed = async () => {
    const { boundaries } = JSON.parse((await home.run(["trials", "list", "--json"])).stdout);
    return boundaries.map(({ status }: { readonly status: string }) => status);
  };
  assert.deepEqual(await listed(), ["LOST"]);
  const { marked } = JSON.parse((await home.run(["trials", "gc", "--json"])).stdout);
  assert.equal(marked.length, 1);
  assert.deepEqual(await listed(), ["INCOMPLETE"]);
  assert.equal((await verify(join(home.directory, "runs", marked[0]))).verdict, "INCOMPLETE");

  const first = await apply();
  assert.equal(first.code, 0, first.stderr);
  const applied = JSON.parse(first.stdout);
  assert.equal(applied.verdict, "PASS");
  assert.deepEqual(await listed(), ["PASS", "INCOMPLETE"]);
  const report = await verify(applied.evidence);
  assert.deepEqual([report.ok, report.verdict], [true, "PASS"], JSON.stringify(report));
  assert(codesOf(report).includes("DEVELOPMENT"));
  const journal = join(home.directory, "journal");
  const owners = readdirSync(journal).map((name) => statSync(join(journal, name)).uid);
  // Root wrote it, and the next run's controller goes on with it.
  assert.deepEqual(new Set(owners), new Set([statSync(journal).uid]));
  assert.notEqual(owners[0], 0);
  const log = readFileSync(join(applied.evidence, "logs/controller.jsonl"), "utf8");
  assert(log.includes('"boundary.table.loaded"') && log.includes('"boundary.stage"'));
  assert(!log.includes("10.60."), "no address is recorded");

  // Somebody else's table under the boundary's name is fatal, and the apply that it ends is told of.
  const table = (await lab.run(["nft", "list", "tables", "inet"])).trim().split(" ").at(-1) ?? "";
  await lab.run(["nft", `delete table inet ${table}; add table inet ${table}`]);
  const stopped = join(temporaryDirectory(t), "stopped");
  const second = await apply("--evidence", stopped);
  assert.notEqual(second.code, 0);
  assert.match(second.stderr, /TABLE_FOREIGN/);
  const interrupted = await verify(stopped);
  assert.deepEqual([interrupted.ok, interrupted.verdict], [true, "INCOMPLETE"]);
  assert(codesOf(interrupted).includes("EARLIER_ATTEMPTS"));

  await lab.run(["nft", `delete table inet ${table}`]);
  const third = await apply();
  assert.equal(third.code, 0, third.stderr);
  const again = await verify(JSON.parse(third.stdout).evidence);
  assert.deepEqual([again.ok, again.verdict], [true, "PASS"]);
  assert(codesOf(again).includes("EARLIER_ATTEMPTS"));

  const changed = join(applied.evidence, "logs/controller.jsonl");
  writeFileSync(changed, log.replace('"count":', '"count":1'));
  assert.equal((await verify(applied.evidence)).integrity, "broken");

  const gone = JSON.parse(
    (await home.run(["trials", "gc", "--json", "--older-than", "1s"])).stdout,
  );
  assert.equal(gone.deleted.length, 3);
  assert.deepEqual(await listed(), []);
});
