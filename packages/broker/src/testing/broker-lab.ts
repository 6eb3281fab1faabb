import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { DEFAULT_LIMITS, type EgressGrant, type EgressLimits } from "../policy/index.js";
import { createPolicyResolver } from "../resolve/index.js";
import {
  type Broker,
  type BrokerOptions,
  createBroker,
  createDial,
  type EgressReceipt,
  type Listener,
  listen,
  receiptEvent,
} from "../service/index.js";
import { systemTimers } from "../system-timers.js";
import { A, AAAA, a, aaaa, NXDOMAIN, response } from "./dns-message.js";
import { type DnsServer, send, startDnsServer } from "./dns-server.js";

interface Test {
  after(fn: () => unknown): void;
}

export interface BrokerLabOptions {
  readonly grants: readonly EgressGrant[];
  /** What the DNS server says; names that aren't listed don't exist. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly limits?: Partial<EgressLimits>;
  readonly broker?: Partial<BrokerOptions>;
}

export interface BrokerLab {
  readonly broker: Broker;
  readonly dns: DnsServer;
  readonly listener: Listener;
  readonly port: number;
  readonly receipts: readonly EgressReceipt[];
  /** The next receipt that this accepts, among those there are and those to come. */
  receipt(accepts: (receipt: EgressReceipt) => boolean): Promise<EgressReceipt>;
}

/** A grant as a policy would hold it. */
export const grantFor = (
  host: string,
  port: number,
  fields: Partial<EgressGrant> = {},
): EgressGrant => ({
  authority: { host, port },
  protocol: "tls",
  purpose: "test",
  allowEch: false,
  requests: null,
  terminate: false,
  line: 7,
  ...fields,
});

/** A whole broker on 127.0.0.1, with a recording DNS server, in a private network. */
export const startBrokerLab = async (test: Test, options: BrokerLabOptions): Promise<BrokerLab> => {
  const dns = await startDnsServer(test, (query) => {
    const addresses = options.names[query.host];
    if (addresses === undefined) return send(response(query, { rcode: NXDOMAIN }));
    const answers = addresses.flatMap((address) => {
      const family = address.includes(":") ? AAAA : A;
      if (family !== query.type) return [];
      return [family === A ? a(query.name, address) : aaaa(query.name, address)];
    });
    return send(response(query, { answers }));
  });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const receipts: EgressReceipt[] = [];
  const waiting = new Set<() => void>();
  const policy = {
    grants: options.grants,
    resolvers: [{ address: dns.address, port: dns.port }],
    limits,
    digest: `sha256:${"0".repeat(64)}`,
  };
  const broker = createBroker({
    policy,
    resolver: createPolicyResolver(policy, { random: randomBytes, timers: systemTimers }),
    dial: createDial(systemTimers),
    timers: systemTimers,
    receipts: (receipt) => {
      // Whatever a test makes the broker do, the evidence format has to take it.
      receiptEvent(receipt);
      receipts.push(receipt);
      for (const look of waiting) look();
    },
    ...options.broker,
  });
  const listener = await listen(broker, {
    host: "127.0.0.1",
    port: 0,
    maxConnections: limits.maxConnections,
  });
  test.after(async () => {
    await broker.close();
    await listener.close();
  });
  return {
    broker,
    dns,
    listener,
    port: listener.address.port,
    receipts,
    receipt: (accepts) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = receipts.find(accepts);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
};

export interface Recorder {
  readonly address: string;
  readonly port: number;
  /** Connections that arrived, and everything they sent. */
  readonly connections: number;
  readonly bytes: Buffer;
  /** The newest connection, now or when it comes. */
  connection(): Promise<Socket>;
  close(): void;
}

/** A TCP server that records what reaches it and does what `serve` says. */
export const startRecorder = async (
  test: Test,
  address: string,
  port: number,
  serve: (socket: Socket) => void = () => undefined,
): Promise<Recorder> => {
  const chunks: Buffer[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    serve(socket);
  });
  server.listen(port, address);
  await once(server, "listening");
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  test.after(close);
  return {
    address,
    port: (server.address() as AddressInfo).port,
    get connections() {
      return sockets.length;
    },
    get bytes() {
      return Buffer.concat(chunks);
    },
    connection: async () => {
      if (sockets.length === 0) await once(server, "connection");
      const socket = sockets.at(-1);
      assert(socket !== undefined);
      return socket;
    },
    close,
  };
};

/** A client of the broker that says exactly these bytes. */
export const openClient = (test: Test, port: number, bytes: string | Uint8Array = ""): Socket => {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  test.after(() => socket.destroy());
  if (bytes.length > 0) socket.write(bytes);
  return socket;
};

export interface HeadSeen {
  readonly status: number;
  /** Of a refusal. */
  readonly reason: string | null;
  readonly head: string;
}

/** Reads a response head and leaves the rest of the stream alone. */
export const readHead = async (socket: Socket): Promise<HeadSeen> => {
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once("close", () => clearTimeout(timer));
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const byte: Buffer | null = socket.read(1);
    if (byte === null) {
      if (socket.readableEnded || socket.destroyed) break;
      await somethingHappens(socket);
      continue;
    }
    head += byte.toString("latin1");
  }
  clearTimeout(timer);
  const [, status = "0"] = /^HTTP\/1\.1 ([0-9]{3}) /.exec(head) ?? [];
  const [, reason = null] = /^Drydock-Reason: ([A-Z_]+)\r$/m.exec(head) ?? [];
  return { status: Number(status), reason, head };
};

/** Unlike `once`, an error is something that happens too. */
const somethingHappens = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const events = ["readable", "end", "close", "error"] as const;
    const done = (): void => {
      for (const event of events) socket.off(event, done);
      resolve();
    };
    for (const event of events) socket.on(event, done);
  });

/** Asks for a tunnel, and has read the answer's head. */
export const openTunnel = async (
  test: Test,
  port: number,
  authority: string,
): Promise<{ readonly socket: Socket; readonly answer: HeadSeen }> => {
  const socket = openClient(
    test,
    port,
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`,
  );
  return { socket, answer: await readHead(socket) };
};

/** Far longer than anything here takes; where a guard is gone, an end may never come. */
const PATIENCE_MS = 5_000;

/** The error's code when the peer resets, `end` when it ends, `open` when it does neither. */
export const endOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve("open"), PATIENCE_MS);
    socket.once("close", () => clearTimeout(timer));
    if (socket.destroyed) resolve(socket.errored === null ? "end" : codeOf(socket.errored));
    socket.once("error", (error) => resolve(codeOf(error)));
    socket.once("end", () => resolve("end"));
    socket.resume();
  });

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : error.message);
