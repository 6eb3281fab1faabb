import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** What a laboratory asks of the process that it keeps in each of its network namespaces. */
export type Ask =
  | { readonly ask: "listen"; readonly protocol: "tcp" | "udp"; readonly on: Endpoint }
  | Try
  | { readonly ask: "hold"; readonly to: Endpoint; readonly timeoutMs: number }
  | { readonly ask: "again"; readonly timeoutMs: number }
  | { readonly ask: "heard"; readonly port: number }
  | { readonly ask: "received"; readonly device: string };

interface Try {
  readonly ask: "try";
  readonly protocol: "tcp" | "udp";
  readonly to: Endpoint;
  readonly from: Endpoint | null;
  readonly size: number;
  readonly timeoutMs: number;
}

/** `refused` is an answer: the other end was reached and has nothing on that port. */
export type Answer = "ready" | "reached" | "refused" | "blocked" | number;

const heard = new Map<number, number>();
let held: Socket | undefined;

const listen = (protocol: "tcp" | "udp", { host, port }: Endpoint): Promise<Answer> =>
  new Promise((resolve, reject) => {
    if (protocol === "tcp") {
      const server = createServer((socket) => {
        socket.on("error", () => socket.destroy());
        socket.pipe(socket);
      });
      server.once("error", reject).listen(port, host, () => resolve("ready"));
      return;
    }
    const socket = createSocket("udp4");
    socket.on("message", (_message, peer) => {
      heard.set(port, (heard.get(port) ?? 0) + 1);
      socket.send("pong", peer.port, peer.address);
    });
    socket.once("error", reject).bind(port, host, () => resolve("ready"));
  });

/** An echo is waited for: a handshake alone wouldn't show that anything gets through after it. */
const echoed = (socket: Socket, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve) => {
    const end = (answer: Answer) => {
      clearTimeout(timer);
      socket.removeAllListeners("data");
      resolve(answer);
    };
    const timer = setTimeout(() => end("blocked"), timeoutMs);
    socket.once("data", () => end("reached"));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      end(error.code === "ECONNREFUSED" ? "refused" : "blocked"),
    );
    socket.write("ping");
  });

const tryTcp = async ({ to, from, timeoutMs }: Try): Promise<Answer> => {
  const local = from === null ? {} : { localAddress: from.host, localPort: from.port };
  const socket = connect({ ...to, ...local });
  const answer = await echoed(socket, timeoutMs);
  socket.destroy();
  return answer;
};

const RESEND_MS = 150;

const tryUdp = ({ to, from, size, timeoutMs }: Try): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const socket: DatagramSocket = createSocket("udp4");
    const end = (answer: Answer) => {
      clearInterval(again);
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const send = () => socket.send(Buffer.alloc(size), () => undefined);
    let again: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => end("blocked"), timeoutMs);
    socket.on("message", () => end("reached"));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNREFUSED" ? end("refused") : reject(error),
    );
    socket.bind(from?.port ?? 0, from?.host, () => {
      socket.setBroadcast(true);
      socket.connect(to.port, to.host, () => {
        send();
        again = setInterval(send, RESEND_MS);
      });
    });
  });

/** Frames that a device has had, whatever became of them. */
const received = (device: string): number => {
  const line = new RegExp(`^ *${device}: *\\d+ +(\\d+)`, "m");
  return Number(line.exec(readFileSync("/proc/self/net/dev", "latin1"))?.[1] ?? Number.NaN);
};

const answerTo = async (ask: Ask): Promise<Answer> => {
  switch (ask.ask) {
    case "listen":
      return await listen(ask.protocol, ask.on);
    case "try":
      return await (ask.protocol === "tcp" ? tryTcp(ask) : tryUdp(ask));
    case "hold":
      held = connect(ask.to.port, ask.to.host);
      return await echoed(held, ask.timeoutMs);
    case "again":
      return held === undefined ? "blocked" : await echoed(held, ask.timeoutMs);
    case "heard":
      return heard.get(ask.port) ?? 0;
    case "received":
      return received(ask.device);
  }
};

/** Only as a program of its own: a laboratory imports the types. */
if (process.argv[1] === import.meta.filename) {
  const lines = createInterface(process.stdin);
  lines.on("close", () => process.exit());
  lines.on("line", (line) => {
    const { id, ...ask } = JSON.parse(line) as Ask & { readonly id: number };
    answerTo(ask as Ask).then(
      (answer) => process.stdout.write(`${JSON.stringify({ id, answer })}\n`),
      (error: unknown) => process.stdout.write(`${JSON.stringify({ id, error: String(error) })}\n`),
    );
  });
}
