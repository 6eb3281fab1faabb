import { chmodSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { VmmObservation } from "../observe/vmm.js";
import { CONTROL_CHANNEL, type VmEndpoints } from "../vmm.js";

/**
 * The fake VMM's process: no machine, only the sockets of one and a guest that answers questions.
 * Started by adapter.ts with its endpoints and its picture of itself in argv.
 */
const endpoints = JSON.parse(process.argv[2] ?? "{}") as VmEndpoints;
const picture = JSON.parse(process.argv[3] ?? "{}") as VmmObservation;

const granted = new Set<string>([CONTROL_CHANNEL]);
const revoked = new Set<string>();
const hostEnds = new Map<string, Socket>();
let running = false;
let consoleStream: Socket | undefined;

const listen = (path: string, serve: (socket: Socket) => void): Promise<void> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      serve(socket);
    });
    server.listen(path, () => {
      chmodSync(path, 0o660);
      resolve();
    });
  });

const orders: Readonly<Record<string, (channel: string) => unknown>> = {
  start: () => null,
  resume: () => {
    running = true;
    consoleStream?.write("drydock-agent: waiting\n");
    return null;
  },
  grant: (channel) => granted.add(channel).size,
  revoke: (channel) => {
    granted.delete(channel);
    revoked.add(channel);
    hostEnds.get(channel)?.destroy();
    return null;
  },
  observe: () => ({
    ...picture,
    chardevs: picture.chardevs.filter((label) => !revoked.has(label)),
  }),
};

const serveMonitor = (socket: Socket): void => {
  createInterface({ input: socket }).on("line", (line) => {
    const { order, channel } = JSON.parse(line) as { order: string; channel: string };
    if (order === "quit") process.exit(0);
    socket.write(`${JSON.stringify(orders[order]?.(channel) ?? null)}\n`);
  });
};

const serveControl = (socket: Socket): void => {
  createInterface({ input: socket }).on("line", (line) => {
    if (!running) return;
    const [question, name] = line.split(" ");
    if (question === "interfaces") socket.write("\n");
    else if (question === "time") socket.write("0\n");
    else if (question === "echo")
      socket.write(granted.has(name ?? "") ? "echoing\n" : "no such port\n");
    else if (question === "poweroff") process.exit(0);
    else socket.write("what?\n");
  });
};

const serveBulk = (name: string) => (socket: Socket) => {
  hostEnds.set(name, socket);
  socket.on("data", (chunk) => {
    if (granted.has(name)) socket.write(chunk);
  });
};

await Promise.all([
  listen(endpoints.monitor, serveMonitor),
  listen(endpoints.console, (socket) => {
    consoleStream = socket;
  }),
  ...Object.entries(endpoints.channels).map(([name, path]) =>
    listen(path, name === CONTROL_CHANNEL ? serveControl : serveBulk(name)),
  ),
]);
process.stdout.write("listening\n");
