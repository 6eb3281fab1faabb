import { ControlEncoder } from "../control/encoder.js";
import type { Binding } from "../control/frame.js";
import { GUEST_MESSAGES, type GuestMessage } from "../control/guest-messages.js";
import { HOST_MESSAGES, type HostMessage } from "../control/host-messages.js";

export const BINDING: Binding = { run: "run-1", lease: "lease-1", generation: 3 };
export const DEADLINE = "2000000000000000000";
export const BEFORE = 1_900_000_000_000_000_000n;

export const HOST_SESSION: readonly HostMessage[] = [
  {
    type: "hello",
    nonce: "nonce-1",
    entropy: Buffer.alloc(32, 7).toString("base64"),
    timeNs: "1900000000000000000",
    limits: { pids: 128, fds: 512 },
    mounts: { upper: "upper" },
  },
  { type: "channel", name: "drydock.bulk.0" },
  { type: "put", stream: 1, destination: "/work", owner: { uid: 1000, gid: 1000 } },
  {
    type: "exec",
    exec: "e1",
    argv: ["sh", "-c", "echo ü; exit 7"],
    env: ["PATH=/bin", "EMPTY="],
    cwd: "/work",
    user: { uid: 1000, gid: 1000 },
    tty: { rows: 24, cols: 80 },
    stdin: 2,
    stdout: 3,
    stderr: 4,
    killLeftovers: true,
  },
  { type: "resize", exec: "e1", rows: 50, cols: 132 },
  { type: "signal", exec: "e1", signal: "SIGTERM", target: "group" },
  {
    type: "collect",
    stream: 5,
    root: "/work",
    globs: ["dist/**", "*.log"],
    limits: { files: 256, bytes: 67108864, depth: 32, pathBytes: 1024 },
  },
  { type: "plant", path: "/etc/a.pem", contents: "A\n", besides: "/etc/b.pem" },
  { type: "ping", nonce: "p1" },
  { type: "shutdown" },
];

export const GUEST_SESSION: readonly GuestMessage[] = [
  {
    type: "ready",
    nonce: "nonce-1",
    agent: "drydock-agent/1",
    facts: {
      kernel: "6.1.0",
      node: "v20.20.2",
      timeNs: "1900000000000000000",
      uptimeMs: 15000,
      pidsMax: 128,
      fdsMax: 512,
    },
  },
  { type: "channelOpen", name: "drydock.bulk.0" },
  { type: "putDone", stream: 1, files: 12, bytes: 34567 },
  { type: "execStarted", exec: "e1", pid: 95 },
  { type: "error", ref: 4, code: "unknown-exec", message: "e1" },
  { type: "execExit", exec: "e1", status: { kind: "exit", code: 7 } },
  { type: "collectDone", stream: 5, files: 2, bytes: 99, skipped: 0, truncated: false },
  { type: "planted", path: "/etc/a.pem" },
  { type: "pong", nonce: "p1" },
];

export const encodeHost = (messages: readonly HostMessage[], binding = BINDING): Buffer[] => {
  const encoder = new ControlEncoder<HostMessage>(HOST_MESSAGES, binding);
  return messages.map((message) => encoder.encode(message, DEADLINE).bytes);
};

export const encodeGuest = (messages: readonly GuestMessage[], binding = BINDING): Buffer[] => {
  const encoder = new ControlEncoder<GuestMessage>(GUEST_MESSAGES, binding);
  return messages.map((message) => encoder.encode(message, DEADLINE).bytes);
};
