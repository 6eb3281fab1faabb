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
/** Of the thread that works, in ms: what else the machine does weighs less in it. */
const processorTime = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
const rounded = (value) => Number(value.toPrecision(4));

const receipt = (index) => ({
  type: "channel.closed",
  decision: "host",
  measurements: { channel: "control.0", fromGuest: 20480 + index, toGuest: 5120 },
});

/** Each measurement has a process of its own: nobody's heap or warm code is another's. */
const inChild = (mode, path) =>
  JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), mode, path], {
      encoding: "utf8",
    }),
  );

/** The kernel's high-water mark. getrusage would count what the parent held when it forked. */
const peakBytes = () =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;

const optionsFor = async () => {
  const { controllerTrustEntry, trustOf } = await import(evidence("testing/trust.js"));
  const { testKey } = await import(evidence("testing/keys.js"));
  const { FIXTURE_NOW } = await import(evidence("testing/run-fixture.js"));
  return { trust: trustOf(controllerTrustEntry(testKey("controller").public)), now: FIXTURE_NOW };
};

const verifyHere = async (directory) => {
  const { verifyRun } = await import(evidence("index.js"));
  const options = await optionsFor();
  const before = peakBytes();
  const began = processorTime();
  let report;
  const ms = timed(() => {
    report = verifyRun(directory, options);
  });
  const processor = processorTime() - began;
  const peak = peakBytes();
  return { ms, processor, ok: report.ok, verdict: report.verdict, peak, grown: peak - before };
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

/** Reads in chunks as well, so that reading weighs the same on both sides. */
function* chunksOf(file) {
  const descriptor = openSync(file, "r");
  const chunk = Buffer.allocUnsafe(4 * 1024 * 1024);
  for (let got = readSync(descriptor, chunk); got > 0; got = readSync(descriptor, chunk)) {
    yield chunk.subarray(0, got);
  }
  closeSync(descriptor);
}

const hashHere = (file) => {
  const stream = () => {
    const sum = createHash("sha256");
    for (const chunk of chunksOf(file)) sum.update(chunk);
    return sum.digest();
  };
  const eachReceipt = () => {
    for (const chunk of chunksOf(file)) {
      for (let start = 0; start < chunk.length; ) {
        const end = chunk.indexOf(10, start);
        const stop = end < 0 ? chunk.length : end;
        hash("sha256", chunk.subarray(start, stop), "hex");
        start = stop + 1;
      }
    }
  };
  const began = processorTime();
  const streamMs = timed(stream);
  const processor = processorTime() - began;
  return { stream: streamMs, processor, eachReceipt: timed(eachReceipt) };
};

/** Alike in all but numbers, and with texts of every length, as names and paths have them. */
const SORTS = {
  verify: () => ({ name: "RTC_CHANGE", digest: `sha256:${"ab".repeat(32)}` }),
  verifyVaried: (index) => ({
    name: "N".repeat(1 + (index % 61)),
    path: "p".repeat(index % 89),
    digest: `sha256:${"ab".repeat(32)}`,
  }),
};

const verifying = async (run, measurements) => {
  const { writeRun } = await import(evidence("testing/run-fixture.js"));
  const many = Array.from({ length: RECEIPTS }, (_, index) => ({
    type: "vmm.event",
    measurements: { ...measurements(index), bytes: index },
  }));
  writeRun(run, {
    checkpointEvery: 1000,
    events: (role, events) =>
      role === "port" ? [...events.slice(0, -1), ...many, ...events.slice(-1)] : events,
  });
  const log = join(run, "logs/port.jsonl");
  const hashed = [];
  const verified = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    hashed.push(inChild("--hash", log));
    verified.push(inChild("--verify", run));
  }
  if (!verified.every((result) => result.ok && result.verdict === "PASS")) {
    throw new Error(`verification failed: ${JSON.stringify(verified[0])}`);
  }
  const ms = median(verified.map((result) => result.ms));
  const eachReceipt = median(hashed.map((result) => result.eachReceipt));
  const stream = median(hashed.map((result) => result.stream));
  const processor = median(verified.map((result) => result.processor));
  const streamProcessor = median(hashed.map((result) => result.processor));
  return {
    receipts: RECEIPTS,
    bytes: statSync(log).size,
    verifyMs: rounded(ms),
    hashEachReceiptMs: rounded(eachReceipt),
    hashAsOneStreamMs: rounded(stream),
    ratioToHashingEachReceipt: rounded(ms / eachReceipt),
    ratioToHashingOneStream: rounded(ms / stream),
    target: 4,
    processorMs: rounded(processor),
    processorRatioToHashingOneStream: rounded(processor / streamProcessor),
    peakMiB: rounded(median(verified.map((result) => result.peak)) / 2 ** 20),
    grownMiB: rounded(median(verified.map((result) => result.grown)) / 2 ** 20),
  };
};

const main = async () => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-bench-"));
  try {
    const result = { name: "receipts", append: await durable(directory) };
    for (const [name, measurements] of Object.entries(SORTS)) {
      result[name] = await verifying(join(directory, name), measurements);
    }
    console.log(JSON.stringify(result));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

switch (process.argv[2]) {
  case "--verify":
    console.log(JSON.stringify(await verifyHere(process.argv[3])));
    break;
  case "--hash":
    console.log(JSON.stringify(hashHere(process.argv[3])));
    break;
  default:
    await main();
}
