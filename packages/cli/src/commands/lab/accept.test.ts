import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Swap, swapArguments, temporaryDirectory } from "@drydock/testkit";
import { PROGRAM, type TestHome, testHome } from "../../testing/home.js";

/** A stand-in has to be started, which takes seconds on a busy machine. */
const WITHIN_MS = 300_000;
const ACCEPT = ["lab", "accept", "--json"];
const ONE = ["--scenario", "clean_passthrough"];

const accept = (home: TestHome, args: readonly string[]) =>
  home.run([...ACCEPT, ...args], { withinMs: WITHIN_MS });

const verified = async (home: TestHome, evidence: string) => {
  const { code, stdout } = await home.run(["verify", evidence, "--rederive", "--json"]);
  return { code, ...JSON.parse(stdout) };
};

/** Names of the scenarios' gates and all others that aren't PASS. */
const failing = (gates: readonly { readonly id: string; readonly result: string }[]) =>
  gates.filter(({ result }) => result !== "PASS").map(({ id }) => id);

describe("a rehearsal that passes", () => {
  test("is sealed and signed with its reports, which verify holds to the byte", async (t) => {
    const home = testHome(t);
    const output = join(temporaryDirectory(t), "reports");
    const { code, stdout, stderr } = await accept(home, [...ONE, "--output", output]);
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    const told = JSON.parse(stdout);
    assert.equal(told.verdict, "PASS");
    assert.equal(told.authorises, "nothing");
    assert.equal(told.realAppliance, "NOT_PROVISIONED");
    assert.equal(told.target.kind, "stand-in");
    assert.deepEqual(told.counts, { passed: 2, failed: 0, notPlayed: 0 });
    assert.equal(told.quarantined, false);
    assert.deepEqual(told.abandoned, []);
    assert.equal(told.scan.found, 0);

    const reports = ["acceptance.json", "acceptance.junit.xml", "acceptance.md"];
    assert.deepEqual(readdirSync(output).sort(), reports);
    for (const name of reports) assert.equal(statSync(join(output, name)).mode & 0o777, 0o600);

    const report = await verified(home, told.evidence);
    assert.equal(report.code, 0);
    assert.equal(report.ok, true);
    assert.equal(report.verdict, "PASS");
    const codes = report.findings.map((finding: { code: string }) => finding.code);
    assert.ok(codes.includes("STAND_IN"));
    assert.ok(codes.includes("PARTIAL"));

    // The reports of the evidence are those that were put out, and none of their bytes is free.
    const artifacts = join(told.evidence, "artifacts");
    const listed = JSON.parse(readFileSync(join(artifacts, "artifacts.json"), "utf8")).artifacts;
    assert.deepEqual(
      listed.map(({ path }: { path: string }) => path),
      reports,
    );
    for (const { path, digest } of listed) {
      const kept = join(artifacts, digest.slice("sha256:".length));
      const bytes = readFileSync(kept);
      assert.deepEqual(bytes, readFileSync(join(output, path)));
      const changed = Buffer.from(bytes);
      changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
      writeFileSync(kept, changed);
      const refused = await verified(home, told.evidence);
      writeFileSync(kept, bytes);
      assert.equal(refused.code, 3, path);
      assert.deepEqual(
        refused.findings.filter(({ code: one }: { code: string }) => one === "ARTIFACT_DIGEST")
          .length,
        1,
      );
    }

    const { stdout: list } = await home.run(["trials", "list", "--json"]);
    const [rehearsal] = JSON.parse(list).rehearsals;
    assert.equal(rehearsal.run, told.run);
    assert.equal(rehearsal.status, "PASS");
    assert.equal(rehearsal.command, told.command);
  });
});

describe("a rehearsal that is ended", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    test(`by ${signal} is INCOMPLETE, and its permission is gone`, async (t) => {
      const home = testHome(t);
      const { child, ended, says } = home.start(["lab", "accept", "--repeat", "3"], {
        withinMs: WITHIN_MS,
      });
      await says("1/");
      child.kill(signal);
      const { code, stdout } = await ended;
      assert.equal(code, 4, stdout);
      assert.match(stdout, /\nverdict {4}INCOMPLETE\n/);
      assert.match(stdout, /\nexit {7}permission revoked, read-only, keys and stores destroyed\n/);
      assert.match(stdout, /ended before its end: stopped/);
      const [, evidence = ""] = /\nevidence {3}(.+)\n/.exec(stdout) ?? [];
      const report = await verified(home, evidence);
      assert.equal(report.code, 4);
      assert.equal(report.integrity, "intact");
      const failed = failing(report.gates);
      assert.ok(failed.includes("LAB-END"));
      assert.ok(!failed.includes("LAB-EXIT"));
      // Of a rehearsal that wasn't whole there is an exit report all the same.
      const work = join(home.directory, "rehearsals", report.run);
      const [exit = ""] = readdirSync(work);
      assert.deepEqual(JSON.parse(readFileSync(join(work, exit), "utf8")).cause, "stopped");
    });

  test("by SIGKILL is INCOMPLETE for whoever looks after it, and its permission is gone", async (t) => {
    const home = testHome(t);
    const { child, ended, says } = home.start(["lab", "accept", "--repeat", "3"], {
      withinMs: WITHIN_MS,
    });
    await says("1/");
    child.kill("SIGKILL");
    await ended;
    const [run = ""] = readdirSync(join(home.directory, "runs")).filter((name) => name[0] !== ".");
    const work = join(home.directory, "rehearsals", run);
    const exitReport = (): string | undefined =>
      readdirSync(work).find((name) => name.startsWith("exit-"));
    const until = Date.now() + WITHIN_MS;
    while (exitReport() === undefined && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const exit = JSON.parse(readFileSync(join(work, exitReport() ?? ""), "utf8"));
    assert.equal(exit.permissionRevoked, true);
    assert.equal(exit.readOnlyConfirmed, true);
    assert.equal(exit.cause, "starter-gone");
    const { stdout } = await home.run(["trials", "gc", "--json"]);
    assert.deepEqual(JSON.parse(stdout).marked, [run]);
    const report = await verified(home, join(home.directory, "runs", run));
    assert.equal(report.code, 4);
  });
});

describe("a supervisor that is killed", () => {
  const childOf = (pid: number | undefined): number =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
  const rehearsalsIn = (home: TestHome) => join(home.directory, "rehearsals");
  const places = (home: TestHome): readonly string[] =>
    readdirSync(rehearsalsIn(home), { recursive: true, encoding: "utf8" }).filter((path) =>
      /(^|\/)rehearsal-[^/]*$/.test(path),
    );

  test("is FAIL; what it left is named and removed by its verb", async (t) => {
    const home = testHome(t);
    const { child, ended, says } = home.start(["lab", "accept", "--repeat", "3"], {
      withinMs: WITHIN_MS,
    });
    await says("1/");
    process.kill(childOf(child.pid), "SIGKILL");
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 1, stdout);
    assert.match(stdout, /NOT KNOWN TO BE REVOKED.*what was left was removed afterwards\n/);
    assert.match(stderr, /was killed, and left .*the accounts of its stand-in: removed\n/);
    assert.deepEqual(readdirSync(rehearsalsIn(home)), []);
  });

  test("with its verb is named, and what it left is removed, by the next one", async (t) => {
    const home = testHome(t);
    const { child, ended, says } = home.start(["lab", "accept", "--repeat", "3"], {
      withinMs: WITHIN_MS,
    });
    await says("1/");
    const supervisor = childOf(child.pid);
    // So that it doesn't see the other's end.
    child.kill("SIGSTOP");
    process.kill(supervisor, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
    const [place = ""] = places(home);
    const { stdout } = await accept(home, ONE);
    const told = JSON.parse(stdout);
    assert.equal(told.verdict, "PASS");
    const [left, ...more] = told.abandoned;
    assert.deepEqual(more, []);
    assert.equal(left.path, join(rehearsalsIn(home), place));
    assert.equal(left.run, place.split("/")[0]);
    assert.deepEqual([left.accounts, left.removed], [true, true]);
    // The second has its exit report, and of the first nothing is left.
    assert.deepEqual(readdirSync(rehearsalsIn(home)), [told.run]);
    assert.deepEqual(places(home), []);
    // What there was to remove is removed; its evidence has yet to be marked.
    const { code, stdout: collected } = await home.run(["trials", "gc", "--json"]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(collected).abandoned, []);
    assert.deepEqual(JSON.parse(collected).marked, [left.run]);
  });
});

/** The same program, of which a module is another. */
const broken = async (
  home: TestHome,
  args: readonly string[],
  swaps: readonly Swap[],
): Promise<{ readonly code: number | null; readonly told: Record<string, never> }> => {
  const child = spawn(process.execPath, [...swapArguments(swaps), PROGRAM, ...ACCEPT, ...args], {
    env: home.env,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: WITHIN_MS,
  });
  const closed = once(child, "close");
  const printed = Buffer.concat(await child.stdout.toArray()).toString();
  const [code] = (await closed) as [number | null];
  return { code, told: JSON.parse(printed) };
};

/** The harness's own credential, put into a row of its log where a word is expected. */
const LEAK: readonly Swap[] = [
  {
    module: "packages/lab/dist/configuration/credential.js",
    source: `
      import { LabCredential as Real } from "./credential.js?real";
      export { readCredential } from "./credential.js?real";
      export class LabCredential extends Real {
        constructor(value) { super(value); globalThis.leaked = value; }
      }`,
  },
  {
    module: "packages/lab/dist/scenario/record.js",
    source: `
      import { exchangeRow as real } from "./record.js?real";
      export * from "./record.js?real";
      export const exchangeRow = (record) => ({ ...real(record), outcome: globalThis.leaked ?? "none" });`,
  },
];

test("what has a credential in it isn't kept: FAIL, in quarantine, and nothing is put out", async (t) => {
  const home = testHome(t);
  const output = join(temporaryDirectory(t), "reports");
  const { code, told } = await broken(home, [...ONE, "--output", output], LEAK);
  assert.equal(code, 1);
  assert.equal(told["verdict"], "FAIL");
  assert.equal(told["quarantined"], true);
  assert.equal(told["output"], null);
  assert.deepEqual(failing(told["gates"] ?? []), ["LAB-VALUES"]);
  assert.deepEqual(readdirSync(output), []);
  const { directory } = home;
  assert.deepEqual(readdirSync(join(directory, "runs")), ["quarantine"]);
  assert.equal(statSync(join(directory, "runs", "quarantine")).mode & 0o777, 0o700);
  // It is evidence all the same, of what it has.
  const report = await verified(home, told["evidence"] ?? "");
  assert.equal(report.code, 1);
  assert.equal(report.integrity, "intact");
});

test("without a search nothing is kept", async (t) => {
  const home = testHome(t);
  const { code, told } = await broken(home, ONE, [
    {
      module: "packages/lab/dist/supervisor/search.js",
      source: "export const search = () => null;",
    },
  ]);
  assert.equal(code, 1);
  assert.equal(told["quarantined"], true);
  assert.deepEqual(failing(told["gates"] ?? []), ["LAB-VALUES"]);
});

describe("what isn't the stand-in", () => {
  const LAB = (directory: string) => ({
    PFSENSE_LAB_API_URL: "https://candidate.lab.invalid",
    PFSENSE_LAB_IDENTITY: "lab-1",
    PFSENSE_LAB_API_KEY_FILE: join(directory, "key"),
    PFSENSE_LAB_CANDIDATE: "LAB_A",
    PFSENSE_LAB_ATTESTATION_FILE: join(directory, "attestation"),
  });
  const asked = (home: TestHome, args: readonly string[] = [], env = LAB(home.temporary)) =>
    home.run([...ACCEPT, "--target", "appliance", ...args], { env });

  test("is BLOCKED without a person's approval, and says what one would have to be for", async (t) => {
    const home = testHome(t);
    const { code, stdout } = await asked(home);
    assert.equal(code, 6);
    const told = JSON.parse(stdout);
    assert.equal(told.verdict, "BLOCKED");
    assert.equal(told.authorises, "nothing");
    assert.equal(told.realAppliance, "NOT_PROVISIONED");
    assert.equal(told.target.kind, "appliance");
    assert.match(told.target.digest, /^sha256:[0-9a-f]{64}$/);
    assert.equal(told.command, "drydock lab accept --target appliance --seed 1 --repeat 1");
    assert.deepEqual(
      told.findings.map(({ code: one }: { code: string }) => one),
      ["LAB_APPROVAL_MISSING"],
    );
    // Another candidate is another target, another seed another command; the adapter is the same.
    const other = { ...LAB(home.temporary), PFSENSE_LAB_CANDIDATE: "LAB_B" };
    const second = JSON.parse((await asked(home, ["--seed", "2"], other)).stdout);
    assert.notEqual(second.target.digest, told.target.digest);
    assert.notEqual(second.command, told.command);
    assert.equal(second.adapter, told.adapter);
  });

  test("is BLOCKED with one that this installation signed by itself", async (t) => {
    const home = testHome(t);
    const { command, adapter, target } = JSON.parse((await asked(home)).stdout);
    const issued = new Date(Math.floor(Date.now() / 1000) * 1000);
    const instant = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");
    const approval = {
      ...{ schema: "drydock.lab-approval/v1", class: "HUMAN_APPROVED", approver: "a-program" },
      ...{ command, adapter, target: target.digest, nonce: "once" },
      issued_at: instant(issued.getTime()),
      expires_at: instant(issued.getTime() + 3_600_000),
    };
    const file = join(home.temporary, "approval");
    writeFileSync(file, JSON.stringify(approval), { mode: 0o600 });
    await home.run(["keys", "init"]);
    const signed = await home.run(["sign", file, "--namespace", "approval"]);
    assert.equal(signed.code, 0, signed.stderr);
    writeFileSync(`${file}.sig.json`, signed.stdout, { mode: 0o600 });
    const { code, stdout } = await asked(home, ["--approval", file]);
    assert.equal(code, 6);
    const told = JSON.parse(stdout);
    assert.equal(told.verdict, "BLOCKED");
    assert.deepEqual(
      told.findings.map(({ code: one }: { code: string }) => one),
      ["LAB_APPROVAL_SIGNER"],
    );
  });

  test("is refused where it can't be a lab, as everywhere", async (t) => {
    const home = testHome(t);
    for (const [url, code] of [
      ["https://firewall.example.com", "LAB_TARGET"],
      ["", "LAB_INPUT_MISSING"],
    ]) {
      const env = { ...LAB(home.temporary), PFSENSE_LAB_API_URL: url ?? "" };
      const { code: status, stdout } = await asked(home, [], env);
      assert.equal(status, 2);
      assert.equal(JSON.parse(stdout).error.code, code);
    }
  });
});

describe("a command line", () => {
  test("is refused at each bound, before anything is made", async (t) => {
    const home = testHome(t);
    for (const args of [
      ["--seed", "-1"],
      ["--seed", "4294967296"],
      ["--seed", "1.5"],
      ["--repeat", "0"],
      ["--repeat", "1001"],
      ["--repeat", "01"],
      ["--scenario", "no_such_scenario"],
      ["--target", "production"],
      ["--output", join(home.temporary, "is", "not", "there")],
      ["--output", home.temporary],
    ]) {
      const { code, stdout } = await accept(home, args);
      assert.equal(code, 2, args.join(" "));
      assert.ok(JSON.parse(stdout).error.fix, args.join(" "));
    }
    assert.deepEqual(readdirSync(home.directory), ["cache"]);
  });

  test("whose rehearsal can't begin leaves no directory for its reports", async (t) => {
    const home = testHome(t);
    writeFileSync(join(home.directory, "runs"), "a file where a directory has to be");
    const output = join(home.temporary, "reports");
    const { code, stdout } = await accept(home, ["--output", output]);
    assert.notEqual(code, 0);
    assert.ok(JSON.parse(stdout).error.code);
    assert.equal(existsSync(output), false);
  });

  test("within them is taken", async (t) => {
    const home = testHome(t);
    const env = {
      PFSENSE_LAB_API_URL: "https://candidate.lab.invalid",
      PFSENSE_LAB_IDENTITY: "lab-1",
      PFSENSE_LAB_API_KEY_FILE: "/key",
      PFSENSE_LAB_CANDIDATE: "LAB_A",
      PFSENSE_LAB_ATTESTATION_FILE: "/attestation",
    };
    for (const args of [
      ["--seed", "0"],
      ["--seed", "4294967295"],
      ["--repeat", "1000"],
    ]) {
      const { code } = await home.run([...ACCEPT, "--target", "appliance", ...args], { env });
      assert.equal(code, 6, args.join(" "));
    }
  });
});
