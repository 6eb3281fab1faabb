import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type Started, type TestHome, testHome } from "../home.js";

interface Ending {
  after(fn: () => unknown): void;
}

interface EgressEvent {
  readonly type: string;
  readonly measurements: Readonly<{ [name: string]: unknown }>;
}

/** `drydock egress serve` as a process of its own. */
export interface Serving {
  readonly port: number;
  readonly home: TestHome;
  /** Bytes in memory, now and at most. */
  memory(): { readonly now: number; readonly peak: number };
  /** Opens a connection and says this. A client here expects to be cut off. */
  open(octets?: string): Socket;
  /** Ends it; resolves with its log's events, once the log was verified. */
  stop(): Promise<readonly EgressEvent[]>;
}

export const startServing = async (test: Ending, policy: string): Promise<Serving> => {
  const home = testHome(test);
  const [file, log] = [join(home.temporary, "policy.yaml"), join(home.temporary, "log")];
  writeFileSync(file, policy);
  const started = home.start(
    [...["egress", "serve", "--listen", "127.0.0.1:0", "--policy", file], "--log", log, "--json"],
    { withinMs: 600_000 },
  );
  const ready = await readyLine(started);
  const port = Number(String(ready.listen).split(":")[1]);
  const clients = new Set<Socket>();
  test.after(() => {
    for (const client of clients) client.destroy();
  });
  return {
    home,
    port,
    memory: () => memoryOf(started.child.pid ?? 0),
    open: (octets = "") => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      clients.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => clients.delete(socket));
      if (octets !== "") socket.write(octets, "latin1");
      return socket;
    },
    stop: async () => {
      started.child.kill("SIGTERM");
      assert.equal((await started.ended).code, 0);
      const trust = join(home.temporary, "trust.json");
      writeFileSync(trust, JSON.stringify(ready.trust));
      const verified = await home.run(["verify", log, "--trust", trust]);
      assert.equal(verified.code, 0, verified.stdout);
      const lines = readFileSync(join(log, "logs/egress.jsonl"), "utf8").trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line));
    },
  };
};

const readyLine = async ({ child, says }: Started) => {
  let text = "";
  child.stdout?.on("data", (more: string) => {
    text += more;
  });
  await says("\n");
  return JSON.parse(text.split("\n")[0] ?? "");
};

const memoryOf = (pid: number): { readonly now: number; readonly peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, "m").exec(status)?.[1] ?? "0");
  return { now: kib("VmRSS") * 1024, peak: kib("VmHWM") * 1024 };
};

/** All that a client is sent until its connection is over, and whether that was by reset. */
export const lastWords = async (
  socket: Socket,
): Promise<{ readonly text: string; readonly reset: boolean }> => {
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
  });
  socket.once("end", () => socket.end());
  if (!socket.destroyed) await once(socket, "close").catch(() => undefined);
  return { text, reset: socket.errored !== null };
};

export const reasonIn = (text: string): string =>
  /^Drydock-Reason: ([A-Z_]+)\r$/m.exec(text)?.[1] ?? "none";

/** How often each reason is the reason of a decision, an end or a flood. */
export const countReasons = (
  events: readonly EgressEvent[],
  type: string,
): Readonly<{ [reason: string]: number }> => {
  const counts: { [reason: string]: number } = {};
  for (const { measurements } of events.filter((event) => event.type === type)) {
    const reason = String(measurements["reason"]);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
};
