import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { type TestHome, testHome } from "./testing/home.js";
import { whatIsLeft } from "./testing/left.js";
import { watchPeak } from "./testing/peak.js";
import { readRecords } from "./testing/records.js";
import { inTree, repositoryOf } from "./testing/repository.js";
import { suiteEndings } from "./testing/suite.js";
import { codesOf, summaryOf } from "./testing/summary.js";

type Mode = "hostile" | "benign";

interface Outcome {
  readonly code: number;
  readonly verdict: string;
  readonly exit?: { readonly code: number };
  /** Of which the first finding's message must have something. */
  readonly because?: RegExp;
  readonly says?: RegExp;
}

interface Specimen {
  readonly name: string;
  readonly program: readonly string[];
  readonly flags: readonly string[];
  readonly hostile: Outcome;
  readonly benign: Outcome;
}

/** What a bound adds to the run itself: starting, stopping, removing, on a busy machine. */
const OVERHEAD_MS = 45_000;
const WALL_S = 8;
const ROOT = ["--user", "root"];
const WALL = ["--timeout", `${WALL_S}s`];

const completed = (code: number, says?: RegExp): Outcome => ({
  code,
  verdict: "PASS",
  exit: { code },
  ...(says === undefined ? {} : { says }),
});
const stopped = (because: RegExp): Outcome => ({ code: 122, verdict: "INCOMPLETE", because });
const late = (because: RegExp): Outcome => ({ code: 124, verdict: "INCOMPLETE", because });
const lied = (because: RegExp): Outcome => ({ code: 120, verdict: "FAIL", because });

const lie = (channel: "control" | "bulk", what: string, because: RegExp): Specimen => ({
  name: `lies in frames of ${channel}: ${what}`,
  program: ["node", "lie-in-frames.mjs", "MODE", channel, what],
  // A lost control channel ends the run by itself; a lost bulk channel only at the deadline.
  flags: [...ROOT, "--timeout", channel === "control" ? "60s" : "15s"],
  hostile: lied(because),
  // Whoever takes a channel and says nothing has only lost it: no violation, no FAIL.
  benign: channel === "control" ? stopped(/guestLost/) : late(/deadline:wall/),
});

const SPECIMENS: readonly Specimen[] = [
  {
    name: "kills its agent",
    program: ["sh", "kill-agent.sh", "MODE"],
    flags: [...ROOT, "--timeout", "60s"],
    hostile: stopped(/guestLost/),
    benign: completed(0, /^survived$/m),
  },
  {
    name: "restarts the machine",
    program: ["sh", "power-off.sh", "MODE"],
    flags: [...ROOT, "--timeout", "60s"],
    hostile: stopped(/guestLost/),
    benign: completed(0, /^still here$/m),
  },
  {
    name: "forks without end",
    program: ["sh", "fork-bomb.sh", "MODE"],
    flags: WALL,
    hostile: late(/deadline:wall/),
    benign: completed(0, /^forked$/m),
  },
  {
    name: "hangs and ignores signals",
    program: ["sh", "hang.sh", "MODE"],
    flags: WALL,
    hostile: late(/deadline:wall/),
    benign: completed(0, /^done$/m),
  },
  {
    name: "falls silent",
    program: ["sh", "fall-silent.sh", "MODE"],
    flags: ["--timeout", "60s", "--idle", "3s"],
    hostile: late(/deadline:idle/),
    benign: completed(0, /^tick$/m),
  },
  {
    name: "leaves processes that hold its output",
    program: ["sh", "leave-behind.sh", "MODE"],
    flags: ["--timeout", "60s"],
    hostile: completed(3, /^parent ends$/m),
    benign: completed(3, /^parent ends$/m),
  },
  {
    name: "fills the disk",
    program: ["sh", "fill-disk.sh", "MODE"],
    flags: ["--timeout", "120s", "--disk", "64MiB"],
    hostile: completed(0, /^full\nagain$/m),
    benign: completed(0, /^written\nagain$/m),
  },
  lie("control", "garbage", /violation:/),
  lie("bulk", "oversize", /violation:/),
];

describe("a hostile guest", () => {
  const endings = suiteEndings();
  let home: TestHome;
  let source: string;

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
    source = repositoryOf(inTree("specimens"), endings);
  });

  const start = ({ program, flags }: Pick<Specimen, "program" | "flags">, mode: Mode) => {
    const command = program.map((word) => (word === "MODE" ? mode : word));
    const started = home.start([
      ...["run", "--json", "--source", source, ...flags, "--", ...command],
    ]);
    started.child.stdin?.end();
    return started;
  };

  const check = async (specimen: Specimen, mode: Mode): Promise<void> => {
    const ended = await start(specimen, mode).ended;
    const expected = specimen[mode];
    const summary = summaryOf(ended);
    const said = `${mode}: ${JSON.stringify(summary)}\n${ended.stderr.slice(-2000)}`;
    assert.equal(ended.code, expected.code, said);
    assert.equal(summary.verdict, expected.verdict, said);
    assert.deepEqual(summary.exit, expected.exit ?? null, said);
    if (expected.because !== undefined)
      assert.match(summary.findings[0]?.message ?? "", expected.because, said);
    if (expected.says !== undefined) assert.match(ended.stderr, expected.says, said);
    const [, wall = "60"] = /--timeout (\d+)s/.exec(specimen.flags.join(" ")) ?? [];
    assert.ok(ended.ms < Number(wall) * 1000 + OVERHEAD_MS, `took ${ended.ms} ms; ${said}`);
    assert.deepEqual(await whatIsLeft(home), [], said);
  };

  for (const specimen of SPECIMENS) {
    test(`${specimen.name}; one that only could does not`, async () => {
      await check(specimen, "hostile");
      await check(specimen, "benign");
    });
  }

  test("a lie is in the receipts as one: where it was told, which rule it broke", async () => {
    const { program, flags } = lie("control", "wrong-lease", /violation:/);
    const { evidence, denied } = summaryOf(await start({ program, flags }, "hostile").ended);
    const [violation, ...more] = readRecords(evidence ?? "", "port").filter(
      ({ type }) => type === "channel.violation",
    );
    assert.equal(violation?.decision, "closed");
    assert.equal(violation?.measurements["channel"], "drydock.control.0");
    assert.deepEqual(more, [], "the first broken rule closes the channel");
    assert.equal(denied, 1);
    const verified = await home.run(["verify", "--json", evidence ?? ""]);
    assert.equal(verified.code, 1, verified.stdout);
    const { ok, integrity, verdict } = JSON.parse(verified.stdout);
    assert.deepEqual(
      { ok, integrity, verdict },
      { ok: true, integrity: "intact", verdict: "FAIL" },
    );
  });

  test("floods its output: cut at the bound and counted, and the host's memory stays flat", async (t) => {
    const bound = 1024 * 1024;
    const flood = {
      program: ["sh", "flood-output.sh", "MODE"],
      flags: [...WALL, "--output", "1MiB"],
    };
    const measure = async (mode: Mode) => {
      const started = start(flood, mode);
      const peak = watchPeak(started.child.pid ?? 0);
      const ended = await started.ended;
      return { ended, summary: summaryOf(ended), peak: peak.stop() };
    };
    const benign = await measure("benign");
    assert.equal(benign.ended.code, 0, benign.ended.stderr.slice(-500));
    assert.ok(!codesOf(benign.summary).includes("OUTPUT_CUT"));

    const hostile = await measure("hostile");
    assert.equal(hostile.ended.code, 124, hostile.ended.stderr.slice(-500));
    assert.ok(codesOf(hostile.summary).includes("OUTPUT_CUT"), JSON.stringify(hostile.summary));
    const written = hostile.ended.stderr.match(/flood-/g)?.length ?? 0;
    assert.ok(written * 6 <= bound, `${written * 6} bytes came through`);
    const cut = readRecords(hostile.summary.evidence ?? "", "port").find(
      ({ type }) => type === "output.cut",
    );
    const dropped = Number(cut?.measurements["dropped"]);
    assert.equal(cut?.measurements["kept"], bound);
    assert.ok(dropped > bound, `only ${dropped} bytes were dropped: no flood`);
    const [calm, busy] = [benign.peak, hostile.peak].map((bytes) => Math.round(bytes / 2 ** 20));
    t.diagnostic(`${Math.round(dropped / 2 ** 20)} MiB dropped; peak ${calm} → ${busy} MiB`);
    assert.ok(hostile.peak - benign.peak < Math.max(48 * 2 ** 20, dropped / 4));
    assert.deepEqual(await whatIsLeft(home), []);
  });

  test("floods its console: only the ring's end is kept, and the rest counted", async () => {
    const flags = [...ROOT, "--timeout", "90s", "--console", "64KiB"];
    const flood = { program: ["sh", "flood-console.sh", "MODE"], flags };
    const benign = summaryOf(await start(flood, "benign").ended);
    assert.deepEqual([benign.verdict, codesOf(benign)], ["PASS", []]);
    const hostile = summaryOf(await start(flood, "hostile").ended);
    assert.deepEqual([hostile.verdict, codesOf(hostile)], ["PASS", ["OUTPUT_CUT"]]);
    const cut = readRecords(hostile.evidence ?? "", "port").find(
      ({ type }) => type === "console.cut",
    );
    assert.equal(cut?.measurements["kept"], 65_536);
    assert.ok(Number(cut?.measurements["dropped"]) > 300_000);
  });

  test("leaves traps among its artifacts: each is refused by its rule, the plain files come out", async () => {
    const flags = [...ROOT, "--timeout", "90s", "--artifact", "out/**"];
    const traps = { program: ["sh", "artifacts.sh", "MODE"], flags };
    const read = async (mode: Mode) => {
      const ended = await start(traps, mode).ended;
      assert.equal(ended.code, 0, ended.stderr.slice(-500));
      const summary = summaryOf(ended);
      assert.equal(summary.verdict, "PASS");
      const records = readRecords(summary.evidence ?? "", "port");
      const pathsOf = (type: string) =>
        records.filter((record) => record.type === type).map(({ measurements }) => measurements);
      return {
        summary,
        accepted: pathsOf("artifact.accepted"),
        refused: pathsOf("artifact.refused"),
      };
    };
    const benign = await read("benign");
    assert.deepEqual(
      benign.accepted.map(({ path }) => path),
      ["out/plain.txt", "out/sub/nested.txt"],
    );
    assert.deepEqual([benign.refused, codesOf(benign.summary)], [[], []]);

    const hostile = await read("hostile");
    const rules = new Map(hostile.refused.map(({ path, rule }) => [path, rule]));
    assert.deepEqual(
      hostile.accepted.map(({ path }) => path),
      ["out/TWIN.TXT", "out/plain.txt", "out/sub/nested.txt"],
    );
    for (const [path, rule] of [
      ["out/absolute-link", "ABSOLUTE_TARGET"],
      ["out/climbing-link", "ESCAPING_TARGET"],
      ["out/root-link", "ABSOLUTE_TARGET"],
      ["out/twin.txt", "CASE_COLLISION"],
      ["out/c:drive", "NOT_PORTABLE"],
      ["(left out by the guest)", "GUEST_TRUNCATED"],
    ])
      assert.equal(rules.get(path), rule, JSON.stringify([...rules]));
    assert.ok([...rules.values()].includes("CONTROL_CHARACTER"));

    const directory = join(hostile.summary.evidence ?? "", "artifacts");
    for (const name of readdirSync(directory)) {
      const { mode, size } = statSync(join(directory, name));
      assert.equal(mode & 0o7777, 0o600, `${name}: neither setuid nor anybody else's`);
      assert.ok(size < 65_536, name);
    }
    assert.ok(existsSync(join(directory, "artifacts.json")));
    assert.doesNotMatch(readFileSync(join(directory, "artifacts.json"), "utf8"), /passwd|deep/);
    assert.deepEqual(await whatIsLeft(home), []);
  });
});
