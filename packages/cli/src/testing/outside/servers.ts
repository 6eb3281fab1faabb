import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { createServer as createWeb } from "node:https";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { A, a, response, send, startDnsServer } from "@drydock/broker/testing";

/**
 * A program that is run where an appliance's way out leads: on every address a web server over TLS
 * and an echo, and on the addresses that it is told name servers and echoes over UDP. It says what
 * it was asked, and ends with its input.
 */
interface Setup {
  readonly key: string;
  readonly certificate: string;
  /** Where a name server is, at port 53. */
  readonly nameServers: readonly string[];
  readonly echoes: readonly { readonly address: string; readonly port: number }[];
  readonly echoPort: number;
}

/** The last one that was said counts. */
export interface Answers {
  /** IPv4 addresses of each name; nobody knows another. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Whether name servers answer at all. */
  readonly serving: boolean;
}

export type Line =
  | { readonly kind: "ready" }
  | { readonly kind: "set" }
  | { readonly kind: "asked"; readonly name: string; readonly at: string };

const NAME_UNKNOWN = 3;

const say = (line: Line): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const start = async (setup: Setup): Promise<(answers: Answers) => void> => {
  let answers: Answers = { names: {}, serving: true };
  // They end with the process.
  const forever = { after: () => undefined };
  for (const address of setup.nameServers) {
    await startDnsServer(
      forever,
      (query) => {
        say({ kind: "asked", name: query.host, at: address });
        if (!answers.serving) return { kind: "silence" };
        const addresses = answers.names[query.host];
        if (addresses === undefined) return send(response(query, { rcode: NAME_UNKNOWN }));
        // Nobody keeps them, so that the next answer counts at once.
        const records = addresses.map((one) => ({ ...a(query.name, one), ttl: 0 }));
        return send(response(query, { answers: query.type === A ? records : [] }));
      },
      { address, port: 53 },
    );
  }
  const tls = { key: readFileSync(setup.key), cert: readFileSync(setup.certificate) };
  const web = createWeb(tls, (request, reply) =>
    reply.end(`hello from ${request.headers.host} at ${request.socket.localAddress}\n`),
  );
  web.on("tlsClientError", () => undefined);
  await listening((done) => web.listen(443, "0.0.0.0", done));
  const echo = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.pipe(socket);
  });
  await listening((done) => echo.listen(setup.echoPort, "0.0.0.0", done));
  for (const { address, port } of setup.echoes) {
    const socket = createSocket("udp4");
    socket.on("message", (bytes, peer) => socket.send(bytes, peer.port, peer.address));
    await listening((done) => socket.bind(port, address, done));
  }
  return (said) => {
    answers = said;
    say({ kind: "set" });
  };
};

const listening = (listen: (done: () => void) => unknown): Promise<void> =>
  new Promise((resolve) => void listen(resolve));

/** Only as a program of its own: the types are others' too. */
if (process.argv[1] === import.meta.filename) {
  const set = await start(JSON.parse(process.argv[2] ?? "{}") as Setup);
  const lines = createInterface(process.stdin);
  lines.on("close", () => process.exit());
  lines.on("line", (line) => set(JSON.parse(line) as Answers));
  say({ kind: "ready" });
}
