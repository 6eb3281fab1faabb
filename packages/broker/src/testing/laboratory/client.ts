import type { Socket } from "node:net";
import { type HeadSeen, openClient, readHead } from "../broker-lab.js";

export interface Answer extends HeadSeen {
  readonly body: string;
}

/** A client that says octets, one for each character, and mends nothing. */
export interface Client {
  readonly socket: Socket;
  say(octets: string): void;
  /** The next response, with its content. */
  answer(): Promise<Answer>;
  /** So many bytes, or what came before the end. */
  read(length: number): Promise<string>;
}

export const openOctets = (test: { after(fn: () => unknown): void }, port: number): Client => {
  const socket = openClient(test, port);
  const read = async (length: number): Promise<string> => {
    let text = "";
    while (text.length < length) {
      const wanted = Math.min(length - text.length, Math.max(1, socket.readableLength));
      const bytes: Buffer | null = socket.read(wanted);
      if (bytes !== null) text += bytes.toString("latin1");
      else if (socket.readableEnded || socket.destroyed) return text;
      else await something(socket);
    }
    return text;
  };
  return {
    socket,
    read,
    say: (octets) => socket.write(Buffer.from(octets, "latin1")),
    answer: async () => {
      const head = await readHead(socket);
      const [, length = "0"] = /^Content-Length: ([0-9]+)\r$/im.exec(head.head) ?? [];
      return { ...head, body: await read(Number(length)) };
    },
  };
};

const something = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const events = ["readable", "end", "close"] as const;
    const done = (): void => {
      for (const event of events) socket.off(event, done);
      resolve();
    };
    for (const event of events) socket.on(event, done);
  });

/** As UTF-8, which is what a client sends for a name beyond ASCII. */
export const octets = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
