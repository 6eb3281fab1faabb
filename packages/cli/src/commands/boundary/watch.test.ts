import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
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

  const files = () => [
    ...[seat.plan, "--policy", seat.policy, "--platform", seat.platform],
    ...["--dev", "--helper-image", image, "--owner", OWNER],
    ...["--namespace", lab.namespace, "--docker-socket", lab.socket, "--json"],
  ];
  const apply = async () => {
    const { code, stderr } = await home.run(["boundary", "apply", ...files()], {
      withinMs: WITHIN_MS,
    });
    assert.equal(code, 0, stderr);
  };
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
      ...["run", "-d", "--network", "none", "--label", "x.role=deployer"],
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
    assert.ok(lines.some(({ code: found }) => found === "boundary.guest-readback-difference"));
    assert.deepEqual(
      lines.filter(({ event }) => event === "floor").map(({ outcome }) => outcome),
      ["dropped"],
    );
    const evidence = lines.at(-1)?.["evidence"] ?? "";
    const verified = await home.run(["verify", evidence, "--json", "--rederive"]);
    assert.deepEqual(JSON.parse(verified.stdout).verdict, "FAIL");
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
