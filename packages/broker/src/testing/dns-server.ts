import { Buffer } from "node:buffer";
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { QuestionSpec } from "./dns-message.js";
import { u16 } from "./dns-message.js";

/** One query as it arrived. */
export interface DnsQuery extends QuestionSpec {
  /** Milliseconds since the server started. */
  readonly at: number;
  readonly over: "udp" | "tcp";
  readonly bytes: Buffer;
  /** The name in the case it was asked in, without a final dot. */
  readonly name: string;
  /** The same in lower case. */
  readonly host: string;
  readonly type: number;
  /** How many queries for this host and type came before. */
  readonly nth: number;
  readonly sourcePort: number;
}

export type DnsReply =
  | {
      readonly kind: "send";
      readonly messages: readonly Uint8Array[];
      readonly afterMs?: number;
      /** Over UDP: from another port than the one that was asked. */
      readonly fromElsewhere?: boolean;
      /** Over TCP: written in pieces of so many bytes, each in its own segment. */
      readonly pieces?: number;
    }
  /** Over TCP: these bytes as they are, and then the end. */
  | { readonly kind: "raw"; readonly bytes: Uint8Array }
  | { readonly kind: "silence" }
  /** Over TCP: the connection ends. */
  | { readonly kind: "hang-up" };

export const send = (...messages: readonly Uint8Array[]): DnsReply => ({ kind: "send", messages });
export const SILENCE: DnsReply = { kind: "silence" };

export interface DnsServer {
  readonly address: string;
  readonly port: number;
  /** Every query, in the order of arrival. Unreadable ones have the name "". */
  readonly queries: readonly DnsQuery[];
  /** TCP connections that were opened and not yet closed by the client. */
  readonly connections: ReadonlySet<Socket>;
  close(): Promise<void>;
}

export interface DnsServerOptions {
  readonly address?: string;
  /** 0, the default: any port that is free for both transports. */
  readonly port?: number;
}

/**
 * A DNS server that says what the script says, over UDP and TCP on one port, and records who asked
 * what, when and how. It serves nothing that the script doesn't return.
 */
export const startDnsServer = async (
  test: { after(fn: () => Promise<void>): void },
  script: (query: DnsQuery) => DnsReply,
  { address = "127.0.0.1", port = 0 }: DnsServerOptions = {},
): Promise<DnsServer> => {
  const started = process.hrtime.bigint();
  const queries: DnsQuery[] = [];
  const connections = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();

  const take = (bytes: Buffer, over: "udp" | "tcp", sourcePort: number): DnsReply => {
    const question = readQuestion(bytes);
    const host = question.name.toLowerCase();
    const nth = queries.filter((one) => one.host === host && one.type === question.type).length;
    const at = Number(process.hrtime.bigint() - started) / 1e6;
    const query = { ...question, at, over, bytes: Buffer.from(bytes), host, nth, sourcePort };
    queries.push(query);
    return script(query);
  };
  const later = (ms: number, call: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      call();
    }, ms);
    timers.add(timer);
  };

  const [tcp, udp] = await listenOnBoth(address, port);
  const elsewhere = createSocket(udpType(address)).bind(0, address);
  await once(elsewhere, "listening");

  udp.on("message", (bytes, sender) => {
    const reply = take(bytes, "udp", sender.port);
    if (reply.kind !== "send") return;
    const socket = reply.fromElsewhere === true ? elsewhere : udp;
    later(reply.afterMs ?? 0, () => {
      for (const message of reply.messages) socket.send(message, sender.port, sender.address);
    });
  });

  tcp.on("connection", (socket) => {
    connections.add(socket);
    socket.setNoDelay(true);
    socket.on("close", () => connections.delete(socket));
    // A client may reset the connection: that is its right, and part of what is tested.
    socket.on("error", () => socket.destroy());
    let held = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
        const end = 2 + held.readUInt16BE(0);
        const reply = take(held.subarray(2, end), "tcp", socket.remotePort ?? 0);
        held = held.subarray(end);
        answerOverTcp(socket, reply, later);
      }
    });
  });

  const close = async (): Promise<void> => {
    for (const timer of timers) clearTimeout(timer);
    for (const socket of connections) socket.destroy();
    if (!tcp.listening) return;
    tcp.close();
    udp.close();
    elsewhere.close();
    await once(tcp, "close");
  };
  test.after(close);
  return { address, port: (tcp.address() as AddressInfo).port, queries, connections, close };
};

const answerOverTcp = (
  socket: Socket,
  reply: DnsReply,
  later: (ms: number, call: () => void) => void,
): void => {
  switch (reply.kind) {
    case "silence":
      return;
    case "hang-up":
      socket.end();
      return;
    case "raw":
      socket.end(reply.bytes);
      return;
    case "send": {
      const framed = reply.messages.map((message) => Buffer.concat([u16(message.length), message]));
      const all = Buffer.concat(framed);
      const size = reply.pieces ?? all.length;
      for (let at = 0, turn = 0; at < all.length; at += size, turn += 1) {
        later((reply.afterMs ?? 0) + turn, () => socket.write(all.subarray(at, at + size)));
      }
      return;
    }
  }
};

const udpType = (address: string) => (address.includes(":") ? "udp6" : "udp4");

/** A port that is free for TCP may be taken for UDP, so some may have to be tried. */
const listenOnBoth = async (
  address: string,
  port: number,
  tries = 20,
): Promise<[Server, DatagramSocket]> => {
  const tcp = createServer().listen(port, address);
  await once(tcp, "listening");
  const udp = createSocket(udpType(address));
  udp.bind((tcp.address() as AddressInfo).port, address);
  try {
    await once(udp, "listening");
    return [tcp, udp];
  } catch (error) {
    tcp.close();
    if (tries === 0 || port !== 0) throw error;
    return listenOnBoth(address, port, tries - 1);
  }
};

/** Queries are never compressed: one name from byte 12 on. */
const readQuestion = (bytes: Buffer): QuestionSpec & { name: string; type: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = bytes[at] ?? 0; length > 0 && at + length < bytes.length; ) {
    labels.push(bytes.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
    length = bytes[at] ?? 0;
  }
  const readable = at + 5 <= bytes.length;
  return {
    id: bytes.length >= 2 ? bytes.readUInt16BE(0) : 0,
    name: readable ? labels.join(".") : "",
    type: readable ? bytes.readUInt16BE(at + 1) : 0,
  };
};
