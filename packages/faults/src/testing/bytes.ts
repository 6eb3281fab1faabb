import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";

/** A server of bytes; each of its connections is the caller's. */
export const startBytes = async (
  t: TestContext,
  onConnection: (socket: Socket) => void,
): Promise<{ readonly server: Server; readonly port: number }> => {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return { server, port: address.port };
};

export interface Received {
  readonly bytes: Buffer;
  /** How it ended: in order, by reset, or not until the client gave up. */
  readonly end: "end" | "ECONNRESET" | "open";
  /** When the first byte, the last byte and the end came, in milliseconds since the connection. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly endMs: number;
  /** Sizes of what was read at once. */
  readonly reads: readonly number[];
}

/** Connects, sends, and takes what comes until the end or for so long. */
export const exchange = async (
  port: number,
  send: Uint8Array | null,
  { openMs = 10_000, half = true }: { openMs?: number; half?: boolean } = {},
): Promise<Received> => {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  const chunks: Buffer[] = [];
  let [firstMs, lastMs] = [Number.NaN, Number.NaN];
  const end = await new Promise<Received["end"]>((resolve) => {
    const late = setTimeout(() => resolve("open"), openMs);
    const done = (how: Received["end"]) => (): void => {
      clearTimeout(late);
      resolve(how);
    };
    const start = performance.now();
    socket.on("data", (chunk: Buffer) => {
      lastMs = performance.now() - start;
      if (chunks.length === 0) firstMs = lastMs;
      chunks.push(chunk);
    });
    socket.once("end", done("end"));
    socket.once("error", (error) => {
      resolve(Reflect.get(error, "code") === "ECONNRESET" ? "ECONNRESET" : "open");
      clearTimeout(late);
    });
    socket.once("connect", () => {
      if (send !== null) socket.write(send);
      if (half) socket.end();
    });
    Object.assign(socket, { startedAt: start });
  });
  const endMs = performance.now() - Number(Reflect.get(socket, "startedAt"));
  socket.destroy();
  const reads = chunks.map(({ length }) => length);
  return { bytes: Buffer.concat(chunks), end, firstMs, lastMs, endMs, reads };
};
