import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createWeb, type RequestListener } from "node:http";
import { createServer as createSecureWeb } from "node:https";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { createServer as createTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import { A, AAAA, a, aaaa, NXDOMAIN, response } from "../dns-message.js";
import { send, startDnsServer } from "../dns-server.js";
import { type Packet, startCapture } from "./capture.js";
import { OPAQUE, RESOLVER, WEB } from "./places.js";

interface Test {
  after(fn: () => void): void;
}

export interface World {
  /** The certificate that the TLS servers' is signed with; they all have one. */
  readonly certificate: string;
  /** Packets that left since the last call. */
  take(): Promise<readonly Packet[]>;
  /** How many packets the kernel didn't show. */
  end(): Promise<number>;
}

/** Python, for a guest or outside: does what probes say, and runs commands. */
export const PROBING_PROGRAM = fileURLToPath(
  new URL("../../../src/testing/laboratory/guest.py", import.meta.url),
);

/** Ports of the world: each is served on every address. */
const PORTS = {
  web: WEB.port,
  https: 443,
  echo: OPAQUE.port,
  dns: RESOLVER.port,
  "dns-tls": 853,
  ntp: 123,
} as const;

/**
 * All that a program could want to reach: on every address of both families DNS over UDP, TCP, TLS
 * and HTTPS, NTP, an echo over TCP and UDP, and a web server that answers `page` says. Every name
 * exists. To be used in a private network where every address leads here.
 */
export const startWorld = async (
  test: Test,
  { names, page }: { readonly names: readonly string[]; readonly page: RequestListener },
): Promise<World> => {
  const directory = temporaryDirectory(test);
  const { key, cert, ca } = makeCertificate(directory, names);
  const answer: RequestListener = (request, reply) => {
    if (!request.url?.startsWith("/dns-query")) return page(request, reply);
    reply.setHeader("Content-Type", "application/dns-message").end(DNS_ANSWER);
  };
  const secure = createTls({ key, cert }, (socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () =>
      socket.end(Buffer.concat([Buffer.of(0, DNS_ANSWER.length), DNS_ANSWER])),
    );
  });
  const echo = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.pipe(socket);
  });
  await Promise.all([
    listenEverywhere(test, createWeb(answer), PORTS.web),
    listenEverywhere(test, createSecureWeb({ key, cert }, answer), PORTS.https),
    listenEverywhere(test, secure, PORTS["dns-tls"]),
    listenEverywhere(test, echo, PORTS.echo),
    echoDatagrams(test, PORTS.echo),
    echoDatagrams(test, PORTS.ntp),
    startDnsServer(
      { after: (end) => test.after(() => void end()) },
      (query) => {
        if (query.type === A) return send(response(query, { answers: [a(query.name, WEB.v4)] }));
        if (query.type === AAAA) {
          return send(response(query, { answers: [aaaa(query.name, WEB.v6)] }));
        }
        return send(response(query, { rcode: NXDOMAIN }));
      },
      { address: "::", port: PORTS.dns },
    ),
  ]);
  const capture = await startCapture(test);
  return { certificate: ca, ...capture };
};

/** What DNS servers that aren't the resolver answer to anything: a header is enough. */
const DNS_ANSWER = Buffer.from([0x12, 0x34, 0x81, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]);

const listenEverywhere = async (test: Test, server: Server, port: number): Promise<void> => {
  const open = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
  });
  server.on("tlsClientError", () => undefined);
  server.listen(port, "::");
  await once(server, "listening");
  test.after(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
};

const echoDatagrams = async (test: Test, port: number): Promise<void> => {
  const socket = createSocket("udp6");
  socket.on("message", (bytes, sender) => socket.send(bytes, sender.port, sender.address));
  socket.bind(port, "::");
  await once(socket, "listening");
  test.after(() => socket.close());
};

const makeCertificate = (directory: string, names: readonly string[]) => {
  const file = (name: string): string => join(directory, name);
  const openssl = (...args: string[]): void => {
    execFileSync("openssl", args, { stdio: "ignore" });
  };
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    ...["req", "-x509", ...ec, "-days", "2", "-subj", "/CN=Laboratory"],
    ...["-keyout", file("ca.key"), "-out", file("ca.pem")],
  );
  openssl(
    ...["req", ...ec, "-subj", "/CN=laboratory"],
    ...["-keyout", file("key.pem"), "-out", file("request.pem")],
  );
  const alternatives = names.map((name) => `DNS:${name}`).join(",");
  writeFileSync(file("extensions"), `subjectAltName=${alternatives}\n`);
  openssl(
    ...["x509", "-req", "-in", file("request.pem"), "-CA", file("ca.pem"), "-days", "2"],
    ...["-CAkey", file("ca.key"), "-CAcreateserial", "-extfile", file("extensions")],
    ...["-out", file("cert.pem")],
  );
  const read = (name: string): string => readFileSync(file(name), "utf8");
  return { key: read("key.pem"), cert: read("cert.pem"), ca: read("ca.pem") };
};
