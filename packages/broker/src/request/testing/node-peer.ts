import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { Duplex } from "node:stream";

/** What Node's parser, llhttp, in its strict mode made of a connection's bytes. */
export interface PeerRequests {
  readonly requests: readonly PeerMessage[];
  readonly connect: { readonly target: string; readonly rest: string } | null;
  readonly failed: boolean;
}

export interface PeerMessage {
  readonly method: string;
  readonly target: string;
  content: string;
  complete: boolean;
}

export interface PeerResponse {
  readonly status: number;
  readonly interim: readonly number[];
  readonly content: string;
  readonly complete: boolean;
}

/** One end of a connection whose other end has sent these bytes and closed its side. */
const connectionOf = (bytes: Uint8Array): Duplex => {
  const unsent: (Buffer | null)[] = [Buffer.from(bytes), null];
  return new Duplex({
    read() {
      this.push(unsent.shift() ?? null);
    },
    write(_chunk, _encoding, done) {
      done();
    },
  });
};

const collect = (message: IncomingMessage, onData: (text: string) => void): void => {
  message.on("data", (data: Buffer) => onData(data.toString("latin1")));
  // A message that is cut off fails; `complete` tells.
  message.on("error", () => undefined);
};

/** Requests on one connection, as a proxy would be given them. */
export const nodeReadsRequests = async (bytes: Uint8Array): Promise<PeerRequests> => {
  const requests: PeerMessage[] = [];
  let connect: PeerRequests["connect"] = null;
  let failed = false;
  const socket = connectionOf(bytes);
  const server: Server = createServer({ requireHostHeader: false, maxHeaderSize: 65_536 });
  const onRequest = (incoming: IncomingMessage): void => {
    const message: PeerMessage = {
      method: incoming.method ?? "",
      target: incoming.url ?? "",
      content: "",
      complete: false,
    };
    requests.push(message);
    collect(incoming, (data) => {
      message.content += data;
    });
    incoming.on("end", () => {
      message.complete = true;
    });
  };
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("connect", (incoming: IncomingMessage, _socket: Duplex, head: Buffer) => {
    connect = { target: incoming.url ?? "", rest: head.toString("latin1") };
  });
  server.on("clientError", () => {
    failed = true;
  });
  const read = new Promise<void>((resolve) => {
    socket.once("end", resolve);
    socket.once("close", resolve);
    server.once("connect", () => resolve());
    server.once("clientError", () => resolve());
  });
  server.emit("connection", socket);
  await read;
  // The events of what was read are on their way: ends of messages come a few turns later.
  for (let turn = 0; turn < 4; turn++) {
    await new Promise(setImmediate);
  }
  socket.destroy();
  return { requests, connect, failed };
};

/** The response to one request of this method; null where the parser refused its head. */
export const nodeReadsResponse = (
  method: string,
  bytes: Uint8Array,
): Promise<PeerResponse | null> =>
  new Promise((resolve) => {
    const interim: number[] = [];
    const outgoing = request({
      method,
      host: "a.example",
      createConnection: () => connectionOf(bytes),
      maxHeaderSize: 65_536,
    });
    outgoing.on("information", ({ statusCode }) => interim.push(statusCode));
    outgoing.on("error", () => resolve(null));
    outgoing.on("upgrade", () => resolve(null));
    outgoing.on("response", (incoming) => {
      let content = "";
      collect(incoming, (data) => {
        content += data;
      });
      incoming.on("close", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          interim,
          content,
          complete: incoming.complete,
        }),
      );
    });
    outgoing.end();
  });
