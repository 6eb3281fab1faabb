#!/usr/bin/env node
// Receipts: how many a second become durable, and what verifying many of them costs beside
// hashing the same bytes. Prints one JSON object. Run after `npx tsc -b packages/evidence`.
import { execFileSync } from "node:child_process";
import { createHash, hash, randomBytes } from "node:crypto";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const evidence = (path) => new URL(`../packages/evidence/dist/${path}`, import.meta.url).href;
const RECEIPTS = Number(process.env.DRYDOCK_BENCH_RECEIPTS ?? 100_000);
const ROUNDS = Number(process.env.DRYDOCK_BENCH_ROUNDS ?? 5);

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const timed = (work) => {
  const start = performance.now();
  work();
  return performance.now() - start;
};
const rounds = (work) => median(Array.from({ length: ROUNDS }, () => timed(work)));
const rounded = (value) => Number(value.toPrecision(4));

const receipt = (index) => ({
  type: "channel.closed",
  decision: "host",
  measurements: { channel: "control.0", fromGuest: 20480 + index, toGuest: 5120 },
});

/** One child process verifies once, so that its memory is its own. */
const verifyInChild = (directory) =>
  JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), "--verify", directory], {
      encoding: "utf8",
    }),
  );

const optionsFor = async () => {
  const { controllerTrustEntry, trustOf } = await import(evidence("testing/trust.js"));
  const { testKey } = await import(evidence("testing/keys.js"));
  const { FIXTURE_NOW } = await import(evidence("testing/run-fixture.js"));
  return { trust: trustOf(controllerTrustEntry(testKey("controller").public)), now: FIXTURE_NOW };
};

const verifyHere = async (directory) => {
  const { verifyRun } = await import(evidence("index.js"));
  const options = await optionsFor();
  const before = process.memoryUsage().rss;
  let report;
  const ms = timed(() => {
    report = verifyRun(directory, options);
  });
  const peak = process.resourceUsage().maxRSS * 1024;
  return { ms, ok: report.ok, verdict: report.verdict, peakBytes: peak, grownBytes: peak - before };
};

const durable = async (directory) => {
  const { openAppendFile, openLog } = await import(evidence("index.js"));
  const { testKey } = await import(evidence("testing/keys.js"));
  const { testClock } = await import(evidence("testing/clock.js"));
  const open = (name) => {
    const log = openAppendFile(join(directory, `${name}.jsonl`), "create");
    const checkpoints = openAppendFile(join(directory, `${name}.checkpoint`), "create");
    const writer = openLog({
      run: "bench",
      role: "port",
      manifest: `sha256:${"0".repeat(64)}`,
      key: testKey("port"),
      clock: testClock(),
      nonce: randomBytes(8),
      log,
      checkpoints,
    });
    const close = () => {
      log.close();
      checkpoints.close();
    };
    return { writer, log, close };
  };
  const rate = (name, count, step) => {
    const { writer, log, close } = open(name);
    const ms = timed(() => {
      for (let index = 0; index < count; index += 1) step(writer, log, index);
      writer.checkpoint();
    });
    close();
    return rounded((count / ms) * 1000);
  };
  const run = open("run");
  const startOfRun = timed(() => {
    for (let index = 0; index < 40; index += 1) {
      run.writer.append(receipt(index));
      if (index % 5 < 2) run.writer.checkpoint();
    }
  });
  run.close();
  return {
    syncedEachPerSecond: rate("each", 1000, (writer, log, index) => {
      writer.append(receipt(index));
      log.sync();
    }),
    signedEachPerSecond: rate("signed", 500, (writer, _log, index) => {
      writer.append(receipt(index));
      writer.checkpoint();
    }),
    checkpointEvery100PerSecond: rate("hundred", 20_000, (writer, _log, index) => {
      writer.append(receipt(index));
      if (index % 100 === 99) writer.checkpoint();
    }),
    fortyRecordsSixteenCheckpointsMs: rounded(startOfRun),
  };
};

const hashing = (file) => {
  const stream = () => {
    const descriptor = openSync(file, "r");
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    const sum = createHash("sha256");
    for (let got = readSync(descriptor, chunk); got > 0; got = readSync(descriptor, chunk)) {
      sum.update(chunk.subarray(0, got));
    }
    closeSync(descriptor);
    return sum.digest();
  };
  const lines = () => {
    const bytes = readFileSync(file);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(10, start);
      hash("sha256", bytes.subarray(start, end), "hex");
      start = end + 1;
    }
  };
  return { stream: rounds(stream), eachReceipt: rounds(lines) };
};

const main = async () => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-bench-"));
  try {
    const { writeRun } = await import(evidence("testing/run-fixture.js"));
    const run = join(directory, "run");
    const many = Array.from({ length: RECEIPTS }, (_, index) => ({
      type: "vmm.event",
      measurements: { name: "RTC_CHANGE", digest: `sha256:${"ab".repeat(32)}`, bytes: index },
    }));
    writeRun(run, {
      checkpointEvery: 1000,
      events: (role, events) =>
        role === "port" ? [...events.slice(0, -1), ...many, ...events.slice(-1)] : events,
    });
    const log = join(run, "logs/port.jsonl");
    const baseline = hashing(log);
    const verified = Array.from({ length: ROUNDS }, () => verifyInChild(run));
    if (!verified.every((result) => result.ok && result.verdict === "PASS")) {
      throw new Error(`verification failed: ${JSON.stringify(verified[0])}`);
    }
    const ms = median(verified.map((result) => result.ms));
    console.log(
      JSON.stringify({
        name: "receipts",
        append: await durable(directory),
        verify: {
          receipts: RECEIPTS,
          bytes: statSync(log).size,
          verifyMs: rounded(ms),
          hashEachReceiptMs: rounded(baseline.eachReceipt),
          hashAsOneStreamMs: rounded(baseline.stream),
          ratioToHashingEachReceipt: rounded(ms / baseline.eachReceipt),
          ratioToHashingOneStream: rounded(ms / baseline.stream),
          target: 4,
          peakMiB: rounded(median(verified.map((result) => result.peakBytes)) / 2 ** 20),
          grownMiB: rounded(median(verified.map((result) => result.grownBytes)) / 2 ** 20),
        },
      }),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

if (process.argv[2] === "--verify") {
  console.log(JSON.stringify(await verifyHere(process.argv[3])));
} else {
  await main();
}
