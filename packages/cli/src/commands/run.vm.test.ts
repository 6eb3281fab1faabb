import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { type TestHome, testHome } from "../testing/home.js";
import { whatIsLeft } from "../testing/left.js";
import { readRecords } from "../testing/records.js";
import { git, inTree, repositoryOf } from "../testing/repository.js";
import { suiteEndings } from "../testing/suite.js";
import { codesOf, summaryOf } from "../testing/summary.js";

const SUMMARY_KEYS = [
  "run",
  "evidence",
  "verdict",
  "tier",
  "exit",
  "durationMs",
  "phases",
  "denied",
  "findings",
];

/** The way of a run that completes, as docs/lifecycle.md has it. */
const PHASES =
  "PLAN SEAL APPROVE RESERVE STAGE BOOT ATTEST HANDSHAKE DRIVE INJECT OBSERVE QUIESCE COLLECT VERIFY SETTLE DESTROY".split(
    " ",
  );

/** Everything that git knows of a checkout, and every byte beside it. */
const lookOf = (repository: string): unknown => ({
  head: git(repository, "rev-parse", "HEAD"),
  refs: git(repository, "for-each-ref"),
  index: readFileSync(join(repository, ".git/index")).toString("base64"),
  files: git(repository, "ls-files", "-s", "-o"),
  names: readdirSync(join(repository, ".git"), { recursive: true }).sort(),
});

describe("drydock run", () => {
  const endings = suiteEndings();
  let home: TestHome;
  let hello: string;

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
    hello = repositoryOf(inTree("scenarios/hello"), endings);
  });

  test("hands the command's status on, with the documented object, artifacts and evidence", async (t) => {
    const checkout = lookOf(hello);
    const script = [
      "set -e",
      'test "$(pwd)" = /work; test -f package.json; test ! -e .git',
      'test "$GREETING" = "hi there"; test "$(id -u)" = 1000',
      'test -z "$DRYDOCK_HOME"; echo changed >> package.json',
      "mkdir -p out/deep; echo kept > out/deep/a.txt; echo left > b.txt",
      "tr '\\0' '\\n' < /proc/$$/environ | sed 's/^/has /'",
      "echo to-stdout; echo to-stderr >&2; exit 7",
    ].join("\n");
    const args = ["--source", hello, "--artifact", "out/**", "--env", "GREETING=hi there"];
    const ran = await home.run(["run", "--json", ...args, "--", "sh", "-c", script]);
    assert.equal(ran.code, 7, ran.stderr);
    const summary = summaryOf(ran);
    assert.equal(ran.stdout.trimEnd().split("\n").length, 1, "stdout holds one object");
    assert.match(ran.stderr, /^to-stdout$/m);
    assert.match(ran.stderr, /^to-stderr$/m);
    assert.deepEqual(Object.keys(summary), SUMMARY_KEYS);
    const { run, evidence, phases, durationMs, ...rest } = summary;
    assert.deepEqual(rest, {
      verdict: "PASS",
      tier: null,
      exit: { code: 7 },
      denied: 0,
      findings: [],
    });
    assert.ok(run !== null && evidence !== null);
    assert.deepEqual(Object.keys(phases), PHASES);
    assert.ok(Number.isSafeInteger(durationMs) && durationMs > 0);
    t.diagnostic(`run ${durationMs} ms, process ${Math.round(ran.ms)} ms`);

    const manifest = JSON.parse(readFileSync(join(evidence, "manifest.json"), "utf8"));
    const { process, tree } = manifest.topology;
    assert.deepEqual(
      process.mounts.map(({ target }: { target: string }) => target),
      ["/", "/dev", "/fds", "/vmm"],
    );
    assert.match(tree, /^sha256:[0-9a-f]{64}$/);
    const { commitment, names } = manifest.command.environment;
    const found = [...ran.stderr.matchAll(/^has ([A-Z]+)=/gm)].map(([, name]) => name);
    assert.deepEqual(found.sort(), names, "the manifest names all that the command found");
    assert.match(commitment, /^hmac-sha256:[0-9a-f]{64}$/);
    assert.ok(names.includes("GREETING") && names.includes("PATH"));

    const artifacts = JSON.parse(readFileSync(join(evidence, "artifacts/artifacts.json"), "utf8"));
    const [artifact, ...others] = artifacts.artifacts;
    assert.deepEqual(others, []);
    assert.equal(artifact.path, "out/deep/a.txt");
    const stored = readdirSync(join(evidence, "artifacts"), { recursive: true, encoding: "utf8" });
    const name = stored.find((path) => path.endsWith(artifact.digest.slice("sha256:".length)));
    assert.ok(name !== undefined, stored.join());
    assert.equal(readFileSync(join(evidence, "artifacts", name), "utf8"), "kept\n");

    assert.deepEqual(lookOf(hello), checkout, "the checkout is as it was");
    const verified = await home.run(["verify", "--json", evidence]);
    assert.equal(verified.code, 0, verified.stdout);
    assert.deepEqual(await whatIsLeft(home), []);
  });

  test("runs a project's own tests and says what of it isn't committed", async () => {
    const dirty = repositoryOf(inTree("scenarios/hello"), endings);
    appendFileSync(join(dirty, "package.json"), "not json any more");
    writeFileSync(join(dirty, "new.txt"), "new\n");
    const sealed = await home.run(["run", "--json", "--source", dirty, "--", "npm", "test"]);
    assert.equal(sealed.code, 0, sealed.stderr);
    assert.match(sealed.stderr, /^# pass 6$/m);
    assert.match(sealed.stderr, /uncommitted files were left out: 1 modified, 1 untracked/);

    const asIs = ["--source", dirty, "--working-tree"];
    const weaker = await home.run(["run", "--json", ...asIs, "--", "cat", "new.txt"]);
    assert.equal(weaker.code, 0, weaker.stderr);
    assert.match(weaker.stderr, /^new$/m);
    assert.deepEqual(codesOf(summaryOf(weaker)), ["WEAK_SOURCE"]);
  });

  test("feeds stdin, takes user and directory, and gives the verdict's code when asked", async () => {
    const input = Buffer.alloc(300_000, "drydock\n");
    const script = 'test "$(id -u):$(id -g)" = 0:0; test "$(pwd)" = /tmp; wc -c; exit 3';
    const flags = ["-i", "--user", "root", "--cwd", "/tmp", "--exit=verdict"];
    // Root on a machine that keeps everything to itself: the run's users have to get in all the same.
    const wrapper = ["sh", "-c", 'umask 077 && exec "$@"', "sh"];
    const ran = await home.run(["run", ...flags, "--", "sh", "-ec", script], { input, wrapper });
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(ran.stdout.trim(), String(input.length), "stdout holds the command's bytes alone");
    assert.match(ran.stderr, /verdict {2}PASS {2}\(the command exited 3/);
  });

  test("a machine of exactly 2 GiB boots, and has them", async () => {
    const command = [
      "--no-snapshot",
      "--memory",
      "2GiB",
      "--",
      "grep",
      "MemTotal",
      "/proc/meminfo",
    ];
    const ran = await home.run(["run", ...command]);
    assert.equal(ran.code, 0, ran.stderr);
    const [, kibibytes] = /^MemTotal: +(\d+) kB$/m.exec(ran.stdout) ?? [];
    // The kernel keeps a twentieth for itself.
    assert.ok(Number(kibibytes) > 0.95 * 2 ** 21, ran.stdout);
  });

  test("says a signal as a shell does, and a missing program as one too", async () => {
    const killed = await home.run(["run", "--json", "--", "sh", "-c", "kill -TERM $$"]);
    assert.equal(killed.code, 128 + 15, killed.stderr);
    assert.deepEqual(summaryOf(killed).exit, { signal: 15 });
    assert.equal(summaryOf(killed).verdict, "PASS");
    const missing = await home.run(["run", "--json", "--", "no-such-program"]);
    assert.equal(missing.code, 127, missing.stderr);
    assert.match(missing.stderr, /no-such-program: No such file/);
    assert.deepEqual(summaryOf(missing).exit, { code: 127 });
  });

  test("a reader that goes away ends the command, not Drydock", async () => {
    const summaryFile = join(home.directory, "..", "summary.json");
    const started = home.start(["run", "--json-file", summaryFile, "--", "yes"]);
    started.child.stdout?.once("data", () => started.child.stdout?.destroy());
    const { code, stderr } = await started.ended;
    assert.equal(code, 128 + 13, stderr);
    const summary = JSON.parse(readFileSync(summaryFile, "utf8"));
    assert.equal(summary.verdict, "PASS");
  });

  test("a key is one run: the second is refused and points at the first", async () => {
    const first = await home.run(["run", "--json", "--key", "nightly-1", "--", "true"]);
    assert.equal(first.code, 0, first.stderr);
    const again = await home.run(["run", "--json", "--key", "nightly-1", "--", "true"]);
    assert.equal(again.code, 125, again.stderr);
    const { error } = JSON.parse(again.stdout);
    assert.equal(error.code, "RUN_EXISTS");
    assert.match(error.message, new RegExp(summaryOf(first).run ?? "no run"));
  });

  test("an interrupted run is INCOMPLETE, and gone; the one beside it doesn't notice", async () => {
    const beside = home.start(["run", "--json", "-i", "--", "sh", "-c", "echo here; cat; ls /tmp"]);
    const broken = home.start(["run", "--json", "--", "sh", "-c", "echo up; >/tmp/x; sleep 600"]);
    await Promise.all([beside.says("here"), broken.says("up")]);
    broken.child.kill("SIGINT");
    const interrupted = await broken.ended;
    assert.equal(interrupted.code, 122, interrupted.stderr);
    const summary = summaryOf(interrupted);
    assert.equal(summary.verdict, "INCOMPLETE");
    assert.deepEqual(codesOf(summary), ["RUN_STOPPED"]);
    assert.match(summary.findings[0]?.message ?? "", /aborted:INTERRUPTED/);

    beside.child.stdin?.end("still\n");
    const { code, stderr, ...rest } = await beside.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^still$/m);
    assert.doesNotMatch(stderr, /^x$/m, "the other's files are not its own");
    const { verdict, evidence } = summaryOf({ code, stderr, ...rest });
    assert.equal(verdict, "PASS");
    const opened = readRecords(evidence ?? "", "port").filter(({ type }) => type === "exec.exit");
    assert.equal(opened.length, 1);
    assert.deepEqual(await whatIsLeft(home), []);
  });
});
