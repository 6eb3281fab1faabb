import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { type Ended, type RunOptions, type TestHome, testCache, testHome } from "./testing/home.js";
import { whatIsLeft } from "./testing/left.js";
import { inTree, repositoryOf } from "./testing/repository.js";
import { suiteEndings } from "./testing/suite.js";
import { codesOf, summaryOf } from "./testing/summary.js";
import { UNPRIVILEGED, withAgent, without, withSpace } from "./testing/wrappers.js";

interface Refusal {
  readonly args: readonly string[];
  readonly options?: RunOptions;
  readonly exit: number;
  readonly code: string;
  readonly says: RegExp;
  readonly fix: RegExp;
}

/** What a run says on its way; what went wrong comes after it. */
const PROGRESS =
  /^drydock: (sealing the source and the machine|starting the machine|removing the machine)$/;
const USAGE = 2;
const RUN_ERROR = 125;
const BLOCKED = 126;
const BLOCKED_VERB = 6;

describe("what can't be done is refused in one line, with the fix, and leaves nothing", () => {
  const endings = suiteEndings();
  let home: TestHome;
  let hello: string;
  let beside: string;

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
    hello = repositoryOf(inTree("scenarios/hello"), endings);
    beside = mkdtempSync(join(tmpdir(), "drydock-beside-"));
    endings.after(() => rmSync(beside, { recursive: true, force: true }));
    mkdirSync(join(beside, "plain"));
    writeFileSync(join(beside, "junk.bundle"), "no bundle");
    writeFileSync(join(beside, "broken.yaml"), "schema: drydock.egress/v1\nauthorities: [\n");
    writeFileSync(join(beside, "agent.cjs"), "// of another version\n");
    // Keys and ledger: what a first run makes by itself is no leftover of a refused one.
    const first = await home.run(["run", "--quiet", "--source", hello, "--", "true"]);
    assert.equal(first.code, 0, first.stderr);
  });

  const lookAt = (): readonly string[] => [
    ...readdirSync(home.directory).filter((name) => !/^ledger\.sqlite-/.test(name)),
    ...readdirSync(join(home.directory, "runs")),
  ];

  /** Asks for it twice: as a person and as a program. */
  const refuse = async ({ args, options = {}, exit, code, says, fix }: Refusal): Promise<void> => {
    const before = lookAt();
    const [verb = "", ...rest] = args;
    const plain = await home.run(args, options);
    const machine = await home.run([verb, ...insertJson(verb, rest)], options);
    const said = `${args.join(" ")}: ${plain.code} ${plain.stderr}${machine.stdout}`;
    assert.equal(plain.code, exit, said);
    assert.equal(machine.code, exit, said);
    const lines = plain.stderr.split("\n").filter((line) => !PROGRESS.test(line));
    assert.match(lines[0] ?? "", /^(drydock|error): /, said);
    assert.match(lines[0] ?? "", says, said);
    assert.match(lines[1] ?? "", fix, said);
    assert.ok(lines.length <= 4, said);
    assert.doesNotMatch(plain.stderr, /\n {4}at |internal error/, said);
    assert.equal(codeOf(machine), code, said);
    assert.deepEqual(lookAt(), before, said);
    assert.deepEqual(await whatIsLeft(home), [], said);
  };

  const insertJson = (verb: string, rest: readonly string[]): readonly string[] =>
    ["image", "trials", "keys", "halt"].includes(verb)
      ? [...rest.slice(0, 1), "--json", ...rest.slice(1)]
      : ["--json", ...rest];

  const codeOf = ({ stdout }: Ended): string => {
    const { error, findings } = JSON.parse(stdout);
    return error?.code ?? findings[0].code;
  };

  const cases: Readonly<Record<string, () => readonly Refusal[]>> = {
    "policies that can't be read": () => [
      {
        args: ["run", "--policy", join(beside, "missing.yaml"), "--", "true"],
        exit: RUN_ERROR,
        code: "FILE_UNREADABLE",
        says: /missing\.yaml/,
        fix: /fix: /,
      },
      {
        args: ["run", "--policy", join(beside, "plain"), "--", "true"],
        exit: RUN_ERROR,
        code: "FILE_UNREADABLE",
        says: /plain/,
        fix: /fix: /,
      },
      {
        args: ["run", "--policy", join(beside, "broken.yaml"), "--", "true"],
        exit: RUN_ERROR,
        code: "FILE_SYNTAX",
        says: /broken\.yaml/,
        fix: /fix: /,
      },
    ],
    "wrong flags and values": () => [
      {
        args: ["run", "--no-such-flag", "--", "true"],
        exit: RUN_ERROR,
        code: "USAGE",
        says: /unknown option '--no-such-flag'/,
        fix: /--help/,
      },
      {
        args: ["trials", "list", "--no-such-flag"],
        exit: USAGE,
        code: "USAGE",
        says: /unknown option/,
        fix: /--help/,
      },
      {
        args: ["run", "--memory", "plenty", "--", "true"],
        exit: RUN_ERROR,
        code: "SPEC_INVALID",
        says: /--memory "plenty" is not a size\. Write .* 512MiB/,
        fix: /--help/,
      },
      {
        args: ["run", "--env", "A B=1", "--", "true"],
        exit: RUN_ERROR,
        code: "SPEC_INVALID",
        says: /--env A B is not a variable name/,
        fix: /--help/,
      },
      {
        args: ["shell"],
        exit: RUN_ERROR,
        code: "NO_TERMINAL",
        says: /needs a terminal/,
        fix: /run -i/,
      },
    ],
    "what isn't there": () => [
      {
        args: ["run", "--image", "nosuch", "--", "true"],
        exit: RUN_ERROR,
        code: "IMAGE_UNKNOWN",
        says: /no image "nosuch"/,
        fix: /image list/,
      },
      {
        args: ["run", "--source", "/no/such/place", "--", "true"],
        exit: RUN_ERROR,
        code: "SOURCE_NOT_FOUND",
        says: /\/no\/such\/place/,
        fix: /--source/,
      },
      {
        args: ["run", "--source", hello, "--ref", "v9", "--", "true"],
        exit: RUN_ERROR,
        code: "REF_NOT_FOUND",
        says: /no ref v9/,
        fix: /branch/,
      },
      {
        args: ["run", "--source", join(beside, "plain"), "--", "true"],
        exit: RUN_ERROR,
        code: "NOT_A_REPOSITORY",
        says: /no git repository/,
        fix: /--working-tree/,
      },
      {
        args: ["run", "--source", join(beside, "junk.bundle"), "--", "true"],
        exit: RUN_ERROR,
        code: "BUNDLE_BAD",
        says: /bundle/,
        fix: /./,
      },
      {
        args: ["verify", "/no/such/run"],
        exit: USAGE,
        code: "RUN_DIRECTORY",
        says: /\/no\/such\/run/,
        fix: /manifest\.json/,
      },
      {
        args: ["sign", "/no/such/file", "--namespace", "policy"],
        exit: USAGE,
        code: "FILE_UNREADABLE",
        says: /\/no\/such\/file/,
        fix: /may read/,
      },
      {
        args: ["trials", "show", "nope"],
        exit: USAGE,
        code: "RUN_UNKNOWN",
        says: /no run nope/,
        fix: /trials list/,
      },
    ],
    "a state directory that isn't one": () => [
      {
        args: ["run", "--", "true"],
        options: { env: { DRYDOCK_HOME: "relative/path" } },
        exit: RUN_ERROR,
        code: "HOME_INVALID",
        says: /DRYDOCK_HOME is not an absolute path/,
        fix: /absolute path/,
      },
      {
        args: ["trials", "list"],
        options: { env: { DRYDOCK_HOME: "" } },
        exit: USAGE,
        code: "HOME_INVALID",
        says: /DRYDOCK_HOME/,
        fix: /unset/,
      },
      ...(["/etc/hostname/drydock", "/etc/hostname", "/proc/drydock", "/sys/a/b"] as const).flatMap(
        (place): readonly Refusal[] =>
          [
            ["run", "--", "true"],
            ["trials", "list"],
            ["halt", "status"],
            ["image", "list"],
          ].map((args) => ({
            args,
            // That one made a run turn in circles until it was killed.
            options: { env: { DRYDOCK_HOME: place }, withinMs: 20_000 },
            exit: args[0] === "run" ? RUN_ERROR : USAGE,
            code: "HOME_INVALID",
            says: place.startsWith("/etc") ? /hostname is not one/ : /the kernel's own/,
            fix: /DRYDOCK_HOME.*disk/,
          })),
      ),
    ],
    "an image of another version": () => [
      {
        args: ["run", "--", "true"],
        options: { wrapper: withAgent(join(beside, "agent.cjs")) },
        exit: BLOCKED,
        code: "IMAGE_OUTDATED",
        says: /image "base" holds the agent of another version/,
        fix: /drydock image build/,
      },
    ],
    "tools that aren't installed": () => [
      {
        args: ["run", "--", "true"],
        options: { wrapper: without("bin/qemu-system-x86_64") },
        exit: BLOCKED,
        code: "VMM_MISSING",
        says: /qemu-system-x86_64 is not installed/,
        fix: /apt-get install qemu-system-x86/,
      },
      {
        args: ["run", "--source", hello, "--", "true"],
        options: { wrapper: without("bin/git") },
        exit: BLOCKED,
        code: "GIT_MISSING",
        says: /git is not installed/,
        fix: /apt-get install git/,
      },
    ],
    "users who may not": () => [
      {
        args: ["run", "--", "true"],
        options: { wrapper: UNPRIVILEGED },
        exit: BLOCKED,
        code: "NOT_ROOT",
        says: /needs root/,
        fix: /sudo/,
      },
      {
        args: ["image", "build"],
        options: { wrapper: UNPRIVILEGED },
        exit: BLOCKED_VERB,
        code: "STATE_FORBIDDEN",
        says: /permission denied/,
        fix: /root/,
      },
      {
        args: ["trials", "list"],
        options: { wrapper: UNPRIVILEGED },
        exit: BLOCKED_VERB,
        code: "STATE_FORBIDDEN",
        says: /permission denied/,
        fix: /root/,
      },
      {
        args: ["keys", "init"],
        options: { wrapper: UNPRIVILEGED },
        exit: BLOCKED_VERB,
        code: "NOT_ROOT",
        says: /needs root/,
        fix: /sudo/,
      },
    ],
  };

  for (const [name, list] of Object.entries(cases))
    test(name, async () => {
      for (const refusal of list()) await refuse(refusal);
    });

  test("no space: BLOCKED before a machine is started, and room is room again", async () => {
    const small = join(beside, "small");
    mkdirSync(small);
    const env = { DRYDOCK_HOME: small };
    const wrapper = (size: string) => withSpace(small, testCache(), size);
    // Too little for the disk that was asked for: refused when the ledger is asked.
    const asked = await home.run(["run", "--json", "--", "true"], { env, wrapper: wrapper("64m") });
    assert.equal(asked.code, BLOCKED, asked.stderr);
    const summary = summaryOf(asked);
    assert.equal(summary.verdict, "BLOCKED");
    assert.equal(codesOf(summary)[0], "LEDGER_OVER_CEILING");
    assert.match(summary.findings[0]?.message ?? "", /diskBytes.*fix: /);
    // Too little for keys, ledger and logs: nothing is made at all.
    for (const size of ["64k", "100k", "15m"]) {
      const full = await home.run(["run", "--json", "--", "true"], { env, wrapper: wrapper(size) });
      assert.equal(full.code, BLOCKED, full.stderr);
      const { verdict, run, findings } = summaryOf(full);
      assert.deepEqual([verdict, run], ["BLOCKED", null]);
      assert.equal(findings[0]?.code, "HOME_FULL");
      assert.match(findings[0]?.message ?? "", /fix: Free disk space/);
    }
    assert.deepEqual(readdirSync(small), [], "what was mounted there is gone");
    assert.deepEqual(await whatIsLeft(home), []);
    // The control differs in the size alone.
    const fits = await home.run(["run", "--json", "--", "true"], { env, wrapper: wrapper("12g") });
    assert.equal(fits.code, 0, fits.stderr);
  });
});
