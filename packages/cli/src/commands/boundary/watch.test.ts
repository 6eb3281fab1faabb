import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { tableName } from "@drydock/boundary";
import { type EngineLab, startEngineLab } from "@drydock/boundary/testing";
import { temporaryDirectory } from "@drydock/testkit";
import { type Ending, type TestHome, testHome } from "../../testing/home.js";
import { type Seat, workbenchImage, writeSeat } from "../../testing/seat.js";

const OWNER = "dd-watched";
/** On a machine that is busy. */
const WITHIN_MS = 600_000;

describe("an appliance that its operator watches", () => {
  // In the order in which they were made: the engine ends before its directory goes.
  const made: (() => unknown)[] = [];
  const endings: Ending = { after: (ending) => made.push(ending) };
  after(async () => {
    for (const end of made) await end();
  });
  let lab: EngineLab;
  let home: TestHome;
  let seat: Seat;
  let image: string;
  const directory = temporaryDirectory(endings);
  const receipt = join(directory, "readback.json");

  const files = (plan = seat.plan) => [
    ...[plan, "--policy", seat.policy, "--platform", seat.platform],
    ...["--dev", "--helper-image", image, "--owner", OWNER],
    ...["--namespace", lab.namespace, "--docker-socket", lab.socket, "--json"],
  ];
  const run = (args: readonly string[]) => home.run(["boundary", ...args], { withinMs: WITHIN_MS });
  const apply = async () => {
    const { code, stderr } = await run(["apply", ...files()]);
    assert.equal(code, 0, stderr);
  };
  const observed = async (plan = seat.plan) => (await run(["observe", ...files(plan)])).code;
  const watch = (...more: readonly string[]) =>
    home.start(["boundary", "watch", ...files(), ...more], { withinMs: WITHIN_MS });
  const withReceipt = () => ["--receipt", receipt, "--receipt-key", seat.observer.key];
  const until = async (is: () => boolean): Promise<void> => {
    for (let tries = 0; !is(); tries += 1) {
      assert.ok(tries < 6_000, "never");
      await pause(100);
    }
  };
  const linesOf = (stdout: string) =>
    stdout
      .trim()
      .split("\n")
      .map((line): Readonly<Record<string, string>> => JSON.parse(line));

  before(async () => {
    home = testHome(endings);
    lab = await startEngineLab(endings);
    image = await workbenchImage(lab);
    await lab.docker(
      ...["run", "-d", "--name", "deployer", "--network", "none", "--label", "x.role=deployer"],
      ...["-v", `${lab.socket}:/run/docker.sock`, "lab:1", "/bin/sleep", "3600"],
    );
    seat = writeSeat(directory, image);
    await apply();
  });

  test("keeps its receipt fresh, and a signal ends it and leaves the rules", async () => {
    const { child, ended } = watch(...withReceipt());
    await until(() => existsSync(receipt));
    const { mtimeMs } = statSync(receipt);
    await until(() => existsSync(receipt) && statSync(receipt).mtimeMs > mtimeMs);
    const before = await lab.run(["nft", "list", "ruleset"]);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      linesOf(stdout).map(({ event }) => event),
      ["watching", "ended"],
    );
    assert.equal(existsSync(receipt), false, "nobody looks on any longer");
    assert.equal(await lab.run(["nft", "list", "ruleset"]), before);
    const evidence = linesOf(stdout).at(-1)?.["evidence"] ?? "";
    const verified = await home.run(["verify", evidence, "--json", "--rederive"]);
    assert.deepEqual(JSON.parse(verified.stdout).verdict, "PASS");
  });

  test("drops to the floor, withdraws the receipt, and its evidence says so", async () => {
    const { child, ended, says } = watch(...withReceipt());
    await until(() => existsSync(receipt));
    await lab.run([
      "nft",
      "insert",
      "rule",
      "inet",
      tableName(OWNER, "scenario"),
      "forward",
      "accept",
    ]);
    await says('"event":"floor"');
    assert.equal(existsSync(receipt), false);
    child.kill("SIGTERM");
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 1, stderr);
    const lines = linesOf(stdout);
    const codes = lines.map(({ code: found }) => found);
    assert.ok(codes.includes("boundary.guest-readback-difference"), stdout);
    assert.deepEqual(
      lines.filter(({ event }) => event === "floor").map(({ outcome }) => outcome),
      ["dropped"],
    );
    const evidence = lines.at(-1)?.["evidence"] ?? "";
    const verified = await home.run(["verify", evidence, "--json", "--rederive"]);
    assert.deepEqual(JSON.parse(verified.stdout).verdict, "FAIL");
  });

  test("is changed by nobody while somebody watches", async () => {
    await apply();
    const { child, ended, says } = watch();
    await says('"event":"watching"');
    const place = ["--namespace", lab.namespace, "--docker-socket", lab.socket];
    for (const args of [
      ["apply", ...files()],
      ["clear", "--owner", OWNER, ...place],
    ]) {
      const { code, stderr } = await run(args);
      assert.match(stderr, /NAMESPACE_BUSY/);
      assert.notEqual(code, 0);
    }
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
    await apply();
  });

  test("is changed by one at a time, and never partly by two", async () => {
    const other = join(directory, "other.yaml");
    writeFileSync(other, readFileSync(seat.plan, "utf8").replaceAll("[80]", "[81]"));
    const start = (plan: string) =>
      home.start(["boundary", "apply", ...files(plan)], { withinMs: WITHIN_MS });
    // One that stands still in the middle.
    const first = start(other);
    await first.says("loading the scenario's rules");
    first.child.kill("SIGSTOP");
    const beside = await run(["apply", ...files()]);
    assert.match(beside.stderr, /NAMESPACE_BUSY/);
    first.child.kill("SIGCONT");
    const { code, stderr } = await first.ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual([await observed(other), await observed()], [0, 1]);
    // Both at once, whoever comes first.
    const plans = [seat.plan, other];
    const ends = await Promise.all(plans.map((plan) => start(plan).ended));
    const done = plans.filter((_, at) => ends[at]?.code === 0);
    for (const end of ends) if (end.code !== 0) assert.match(end.stderr, /NAMESPACE_BUSY/);
    assert.ok(done.length > 0);
    const holding = [await observed(seat.plan), await observed(other)];
    assert.deepEqual(holding.toSorted(), [0, 1], "one of them holds, whole");
    assert.ok(done.includes(plans[holding.indexOf(0)] ?? ""), "whose apply said so");
    await apply();
    assert.equal(await observed(), 0);
  });

  test("closes when its engine starts again, and the next apply opens it", async () => {
    const { child, ended, says } = watch(...withReceipt());
    await until(() => existsSync(receipt));
    await lab.restart();
    await says('"event":"floor"');
    assert.equal(existsSync(receipt), false);
    child.kill("SIGTERM");
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 1, stderr);
    const found = linesOf(stdout).filter(({ event }) => event === "finding");
    assert.ok(
      found.some(({ about }) => about?.endsWith("ENGINE_UNREACHABLE")),
      stdout,
    );
    assert.equal(await observed(), 1);
    await lab.docker("start", "deployer");
    await apply();
    assert.equal(await observed(), 0);
    const again = watch(...withReceipt());
    await until(() => existsSync(receipt));
    again.child.kill("SIGINT");
    assert.equal((await again.ended).code, 0);
  });

  test("only reports with --report, which only --dev may", async () => {
    await apply();
    const { child, ended, says } = watch("--report");
    await says('"event":"watching"');
    await lab.run([
      "nft",
      "insert",
      "rule",
      "inet",
      tableName(OWNER, "scenario"),
      "forward",
      "accept",
    ]);
    await says('"event":"finding"');
    const listing = await lab.run(["nft", "list", "ruleset"]);
    assert.match(listing, /spoken-for/, "it isn't the floor");
    child.kill("SIGTERM");
    const { code, stdout } = await ended;
    assert.equal(code, 1);
    assert.ok(!stdout.includes('"event":"floor"'));
    const refused = await home.run([
      ...["boundary", "watch", seat.plan, "--policy", seat.policy, "--platform", seat.platform],
      ...["--report", "--namespace", lab.namespace],
    ]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /USAGE|--dev/);
  });
});
