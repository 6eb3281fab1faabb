import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as secure, type TLSSocket } from "node:tls";

/**
 * A program that keeps a connection busy: `traffic.js tcp HOST PORT`, an echo, or
 * `traffic.js tunnel BROKER PORT AUTHORITY CA`, requests by TLS through a broker's tunnel. It writes
 * a line for each answer, and ends with 1 when the connection does, or an answer takes too long.
 */
const PAUSE_MS = 50;
/** A lost segment is sent again within this, also on a busy machine. */
const ANSWER_MS = 20_000;

const [kind, host = "", port = "0", authority = "", roots = ""] = process.argv.slice(2);

const failed = (why: string): never => {
  process.stderr.write(`${why}\n`);
  process.exit(1);
};

const once = (socket: Socket, event: string): Promise<Buffer> =>
  new Promise((resolve) => socket.once(event, resolve));

const open = async (): Promise<Socket | TLSSocket> => {
  const socket = connect(Number(port), host);
  socket.on("error", ({ message }) => failed(message));
  socket.on("close", () => failed("closed"));
  await once(socket, "connect");
  if (kind === "tcp") return socket;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const head = (await once(socket, "data")).toString("latin1");
  if (!head.startsWith("HTTP/1.1 200 ")) failed(head);
  const [servername] = authority.split(":");
  const tunnel = secure({ socket, servername, ca: readFileSync(roots) });
  tunnel.on("error", ({ message }) => failed(message));
  await once(tunnel, "secureConnect");
  return tunnel;
};

const connection = await open();
const question = kind === "tcp" ? "ping\n" : `GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
for (;;) {
  const timer = setTimeout(() => failed("no answer"), ANSWER_MS);
  const answer = once(connection, "data");
  connection.write(question);
  await answer;
  clearTimeout(timer);
  process.stdout.write(".\n");
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
