// Takes a channel from the agent by force and writes into it what the agent never would. Needs root.
// Usage: node lie-in-frames.mjs hostile|benign control|bulk LIE
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const [mode, channel, lie] = process.argv.slice(2);

const u32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const frame = (header) => {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  return Buffer.concat([u32(text.length), text]);
};
/** A header as the agent would write it, but for what the lie changes. */
const header = (changes) => ({
  v: 1,
  run: "20260101T000000Z-0000000000",
  lease: "somebody-elses.body",
  generation: 0,
  seq: 1,
  deadline: "9223372036854775807",
  type: "pong",
  nonce: "00",
  payload: { length: 0, digest: `sha256:${"0".repeat(64)}` },
  prev: `sha256:${"0".repeat(64)}`,
  ...changes,
});

const LIES = {
  control: {
    garbage: Buffer.from("GET / HTTP/1.1\r\n\r\n".repeat(2048)),
    oversize: Buffer.concat([u32(0x7fff_ffff), Buffer.alloc(65536, 0x20)]),
    "wrong-lease": frame(header({})),
    "duplicate-key": frame(`{"v":1,"v":1,${JSON.stringify(header({})).slice(1)}`),
    float: frame(JSON.stringify(header({})).replace('"seq":1', '"seq":1.0')),
    "unknown-field": frame(header({ extra: true })),
  },
  bulk: {
    garbage: Buffer.from("garbage ".repeat(8192)),
    oversize: Buffer.concat([Buffer.from([1]), u32(1), u32(0x7fff_ffff), Buffer.alloc(65536)]),
    "unopened-stream": Buffer.concat([Buffer.from([1]), u32(4_000_000), u32(4), Buffer.alloc(4)]),
  },
};
const bytes = mode === "hostile" ? LIES[channel][lie] : Buffer.alloc(0);

const commandLine = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    // It has ended since it was listed.
    return "";
  }
};
const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
const agent = Number(pids.find((pid) => commandLine(pid).includes("/agent.js")));
const [controlRelay, bulkRelay] = pids.filter((pid) => commandLine(pid).includes("guest-relay"));

// A port has one opener at a time, so the agent must neither notice nor end before the lie is told.
process.kill(agent, "SIGSTOP");
process.kill(Number(channel === "control" ? controlRelay : bulkRelay), "SIGKILL");
const port = channel === "control" ? "vport0p1" : "vport0p2";
const number = readFileSync(`/sys/class/virtio-ports/${port}/dev`, "latin1").trim().split(":");
execFileSync("mknod", ["/dev/lie", "c", ...number]);
const open = async () => {
  for (let turn = 0; ; turn += 1) {
    try {
      return openSync("/dev/lie", "r+");
    } catch (error) {
      if (turn === 500) throw error;
      await delay(5);
    }
  }
};
const file = await open();
if (bytes.length > 0) writeSync(file, bytes);
await delay(500);
closeSync(file);
// Whoever told no lie hands the guest back; the agent then finds its channel gone.
process.kill(agent, "SIGCONT");
await delay(600_000);
