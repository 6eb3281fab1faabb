import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { attachBulk, attachHostControl, type BulkStream, type HostMessage } from "@drydock/wire";
import { runAgent } from "./agent.js";
import type { Platform } from "./platform.js";

/**
 * A platform that does everything but change the machine, and whose ports are the given sockets,
 * reached as a real port would be.
 */
export type Stage = (socketOf: (port: string) => string) => Promise<Platform>;

/**
 * Serves a host of its own making, before the snapshot. What a clone then does for its real host
 * has all been compiled, linked and loaded before, and every object has had its shape: under
 * emulation that is the difference between two seconds and a fraction of one. So this host says
 * what a real one would, in the order in which it would.
 *
 * @param socketPath place for sockets that nothing else uses
 */
export const rehearse = async (times: number, socketPath: string, stage: Stage): Promise<void> => {
  for (let turn = 0; turn < times; turn += 1) await rehearseOnce(socketPath, stage);
};

const RUN = "20261130T000000Z-0000000000";
const BULK = "drydock.bulk.0";
const EXEC = "exec-1-000000";
const NONCE = "00000000000000000000000000000000";
const DEADLINE = "9223372036854775807";

const rehearseOnce = async (socketPath: string, stage: Stage): Promise<void> => {
  const control = await listen(`${socketPath}.control`);
  const bulk = await listen(`${socketPath}.bulk`);
  const served = runAgent(
    await stage((port) => (port.includes("control") ? control.path : bulk.path)),
  );
  const controlSocket = await control.accepted;
  await converse(controlSocket, bulk.accepted);
  controlSocket.end();
  await served;
  controlSocket.destroy();
  (await bulk.accepted).destroy();
};

const converse = async (controlSocket: Socket, bulkSocket: Promise<Socket>): Promise<void> => {
  const answers = new Map<string, () => void>();
  let refuse: (error: Error) => void = () => undefined;
  const refused = new Promise<never>((_resolve, reject) => {
    refuse = reject;
  });
  const channel = attachHostControl(
    controlSocket,
    { run: RUN, lease: `${RUN}.body`, generation: 1 },
    {
      onFrame: ({ message }) => {
        if (message.type === "error") refuse(new Error(`rehearsal: ${message.message}`));
        answers.get(message.type)?.();
      },
      onClose: ({ kind }) => refuse(new Error(`rehearsal: the agent hung up (${kind})`)),
      nowNs: () => null,
    },
  );
  const ask = async (message: HostMessage, answer: string): Promise<void> => {
    const answered = new Promise<void>((resolve) => answers.set(answer, resolve));
    channel.send(message, DEADLINE);
    await Promise.race([answered, refused]);
  };
  await ask(hello(), "ready");
  await ask({ type: "channel", name: BULK }, "channelOpen");
  const streams = attachBulk(await bulkSocket, { role: "opener", onClose: () => undefined });
  const [stdin, stdout, stderr] = [streams.open(), streams.open(), streams.open()];
  for (const stream of [stdin, stdout, stderr]) stream.end();
  for (const stream of [stdin, stdout, stderr]) stream.resume();
  await ask(command(stdin, stdout, stderr), "execExit");
};

const hello = (): HostMessage => ({
  type: "hello",
  nonce: NONCE,
  entropy: Buffer.alloc(48).toString("base64"),
  timeNs: String(BigInt(Date.now()) * 1_000_000n),
  limits: { pids: 128, fds: 512 },
  mounts: { upper: "upper" },
});

const command = (stdin: BulkStream, stdout: BulkStream, stderr: BulkStream): HostMessage => ({
  type: "exec",
  exec: EXEC,
  argv: ["/bin/drydock-native", "guest-rehearsal"],
  env: ["PATH=/bin", "HOME=/", "LANG=C.UTF-8", "TERM=dumb"],
  cwd: "/",
  user: { uid: 1000, gid: 1000 },
  tty: null,
  stdin: stdin.id,
  stdout: stdout.id,
  stderr: stderr.id,
  killLeftovers: true,
});

const listen = async (
  path: string,
): Promise<{ readonly path: string; readonly accepted: Promise<Socket> }> => {
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  const accepted = once(server, "connection").then(([socket]) => {
    server.close();
    return socket as Socket;
  });
  return { path, accepted };
};
