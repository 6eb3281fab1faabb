import type { Duplex } from "node:stream";
import {
  attachBulk,
  attachGuestControl,
  type BulkChannel,
  type ControlChannel,
  type GuestMessage,
  type HostMessage,
} from "@drydock/wire";

/** How a guest answers one message; `tell` sends, `streams` appears once the channel was granted. */
export interface GuestPorts {
  tell(message: GuestMessage): void;
  readonly streams: () => BulkChannel;
  /** Bytes that are no frame of ours. */
  raw(bytes: Uint8Array): void;
  /** The agent is gone. */
  hangUp(): void;
}
export type GuestScript = (message: HostMessage, seq: number, guest: GuestPorts) => void;

const DEADLINE = String(10n ** 18n * 4n);

/** An agent without a machine: real frames, scripted answers. */
export const attachFakeGuest = (
  control: Duplex,
  bulk: () => Duplex,
  script: GuestScript,
): GuestPorts => {
  let streams: BulkChannel | null = null;
  let channel: ControlChannel<GuestMessage> | null = null;
  const guest: GuestPorts = {
    tell: (message) => void channel?.send(message, DEADLINE),
    streams: () => {
      // Whatever becomes of the channel is for the host to notice.
      streams ??= attachBulk(bulk(), { role: "acceptor", onClose: () => undefined });
      return streams;
    },
    raw: (bytes) => void control.write(bytes),
    hangUp: () => void control.destroy(),
  };
  channel = attachGuestControl(control, {
    onFrame: ({ message, seq }) => script(message, seq, guest),
    onClose: () => undefined,
    nowNs: () => null,
  });
  return guest;
};

/** What an honest agent says; a command writes its arguments to stdout and exits 7. */
export const honest: GuestScript = (message, _seq, guest) => {
  switch (message.type) {
    case "hello":
      guest.tell({
        type: "ready",
        nonce: message.nonce,
        agent: "fake",
        facts: {
          kernel: "none",
          node: "none",
          timeNs: message.timeNs,
          uptimeMs: 1,
          pidsMax: message.limits.pids,
          fdsMax: message.limits.fds,
        },
      });
      return;
    case "channel":
      guest.streams();
      guest.tell({ type: "channelOpen", name: message.name });
      return;
    case "exec":
      void runCommand(message, guest);
      return;
    case "plant":
      guest.tell({ type: "planted", path: message.path });
      return;
    case "put":
      void takeFiles(message.stream, guest);
      return;
    case "collect":
      void giveFiles(message.stream, guest);
      return;
    case "ping":
      guest.tell({ type: "pong", nonce: message.nonce });
      return;
    case "signal":
    case "resize":
    case "shutdown":
      return;
  }
};

type Exec = Extract<HostMessage, { type: "exec" }>;

const runCommand = async (request: Exec, guest: GuestPorts): Promise<void> => {
  const channel = guest.streams();
  try {
    const [stdout, stderr, stdin] = await Promise.all(
      [request.stdout, request.stderr, request.stdin].map((id) => channel.accept(id)),
    );
    guest.tell({ type: "execStarted", exec: request.exec, pid: 2 });
    stdin?.resume();
    stdout?.resume().end(`${request.argv.join(" ")}\n`);
    stderr?.resume().end();
    guest.tell({ type: "execExit", exec: request.exec, status: { kind: "exit", code: 7 } });
  } catch {
    // The host cut the channel: there is nobody to answer.
  }
};

const takeFiles = async (id: number, guest: GuestPorts): Promise<void> => {
  try {
    const stream = await guest.streams().accept(id);
    let bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    stream.end();
    guest.tell({ type: "putDone", stream: id, files: 1, bytes });
  } catch {
    // As above.
  }
};

/** An empty archive: two blocks of zeros. */
const giveFiles = async (id: number, guest: GuestPorts): Promise<void> => {
  try {
    const stream = await guest.streams().accept(id);
    stream.resume().end(Buffer.alloc(1024));
    guest.tell({
      type: "collectDone",
      ...{ stream: id, files: 0, bytes: 0, skipped: 0, truncated: false },
    });
  } catch {
    // As above.
  }
};
