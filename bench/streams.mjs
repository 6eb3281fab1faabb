#!/usr/bin/env node
// What passes through the real channels, from the guest to the SDK and back: a command's stdout,
// and a sealed source on its way into the guest. One JSON object. Needs root.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { openHome } from "./lib/home.mjs";
import { median, rounded } from "./lib/stats.mjs";

const MIB = 2 ** 20;
const SOURCE_MIB = 16;
const OUTPUT_MIB = 48;
const ROUNDS = Number(process.env.DRYDOCK_BENCH_STREAM_ROUNDS ?? 3);

const { createLab } = await import(
  new URL("../packages/cli/bundle/index.js", import.meta.url).href
);

const makeSource = () => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-bench-source-"));
  // As many files as a small project has, of bytes that nothing can compress.
  for (let file = 0; file < 64; file += 1)
    writeFileSync(join(directory, `${file}.bin`), randomBytes((SOURCE_MIB * MIB) / 64));
  const git = (...args) =>
    execFileSync("git", ["-C", directory, "-c", "user.name=b", "-c", "user.email=b@b", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "source");
  return directory;
};

const once = async (home, source) => {
  const entered = new Map();
  const lab = await createLab({
    home: home.directory,
    source: { from: source },
    onPhase: (phase) => entered.set(phase, performance.now()),
  });
  const staged = performance.now() - entered.get("DRIVE");
  const sealed = entered.get("APPROVE") - entered.get("SEAL");
  let bytes = 0;
  let first = 0;
  let last = 0;
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      last = performance.now();
      if (bytes === 0) first = last;
      bytes += chunk.length;
      done();
    },
  });
  await lab.exec(["dd", "if=/dev/zero", "bs=1M", `count=${OUTPUT_MIB}`], { stdout });
  const report = await lab.close();
  if (report.verdict !== "PASS") throw new Error(`verdict ${report.verdict}: ${report.ending}`);
  if (bytes !== OUTPUT_MIB * MIB) throw new Error(`${bytes} bytes came through`);
  return { staged, sealed, output: last - first };
};

const home = openHome();
const source = makeSource();
try {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await once(home, source));
  const rate = (name, mib) => rounded(mib / (median(rounds.map((round) => round[name])) / 1000));
  console.log(
    JSON.stringify({
      name: "streams",
      rounds: ROUNDS,
      stdoutMiBPerSecond: rate("output", OUTPUT_MIB),
      stagingMiBPerSecond: rate("staged", SOURCE_MIB),
      sealingMs: rounded(median(rounds.map(({ sealed }) => sealed))),
    }),
  );
} finally {
  rmSync(source, { recursive: true, force: true });
  home.close();
}
