import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import {
  attachBulk,
  attachHostControl,
  type BulkStream,
  type BytePipe,
  type HostMessage,
} from "@drydock/wire";
import { runAgent } from "./agent.js";
import type { Platform } from "./platform.js";

/** A platform that does everything but change the machine, talking over the given pipes. */
export type Stage = (openPort: (name: string) => Promise<BytePipe>) => Promise<Platform>;

/**
 * Serves a host of its own making, before the snapshot. What a clone then does for its real host
 * has all been compiled, linked and loaded before: under emulation that is the difference
 * between two seconds and a fraction of one.
 *
 * @param socketPath place for sockets that nothing else uses
 */
export const rehearse = async (times: number, socketPath: string, stage: Stage): Promise<void> => {
  for (let turn = 0; turn < times; turn += 1) await rehearseOnce(socketPath, stage);
};

const DEADLINE = "9223372036854775807";

const rehearseOnce = async (socketPath: string, stage: Stage): Promise<void> => {
  const [control, agentControl] = await socketPair(`${socketPath}.control`);
  const [bulk, agentBulk] = await socketPair(`${socketPath}.bulk`);
  const served = runAgent(
    await stage(async (name) => (name.includes("control") ? agentControl : agentBulk)),
  );
  const exited = new Promise<void>((resolve) => {
    const channel = attachHostControl(
      control,
      { run: "rehearsal", lease: "rehearsal", generation: 0 },
      {
        onFrame: ({ message }) => {
          if (message.type === "execExit" || message.type === "error") resolve();
        },
        onClose: () => resolve(),
        nowNs: () => null,
      },
    );
    const streams = attachBulk(bulk, { role: "opener", onClose: () => undefined });
    const [stdin, stdout, stderr] = [streams.open(), streams.open(), streams.open()];
    stdin.end();
    stdout.end();
    stderr.end();
    for (const stream of [stdin, stdout, stderr]) stream.resume();
    for (const message of script(stdin, stdout, stderr)) channel.send(message, DEADLINE);
  });
  await exited;
  control.end();
  bulk.end();
  await served;
  for (const socket of [control, agentControl, bulk, agentBulk]) socket.destroy();
};

const script = (
  stdin: BulkStream,
  stdout: BulkStream,
  stderr: BulkStream,
): readonly HostMessage[] => [
  {
    type: "hello",
    nonce: "rehearsal",
    entropy: Buffer.alloc(32).toString("base64"),
    timeNs: String(BigInt(Date.now()) * 1_000_000n),
    limits: { pids: 128, fds: 512 },
    mounts: { upper: null },
  },
  { type: "channel", name: "drydock.bulk.0" },
  { type: "ping", nonce: "rehearsal" },
  {
    type: "exec",
    exec: "rehearsal",
    argv: ["/bin/drydock-native", "rehearsal"],
    env: ["PATH=/bin"],
    cwd: "/",
    user: { uid: 0, gid: 0 },
    tty: null,
    stdin: stdin.id,
    stdout: stdout.id,
    stderr: stderr.id,
    killLeftovers: true,
  },
];

const socketPair = async (path: string): Promise<readonly [Socket, Socket]> => {
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  const near = connect(path);
  const [far] = (await once(server, "connection")) as [Socket];
  server.close();
  return [near, far];
};
