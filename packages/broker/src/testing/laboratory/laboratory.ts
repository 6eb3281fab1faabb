import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { DEFAULT_LIMITS, type EgressLimits } from "../../policy/index.js";
import {
  createResolver,
  keepAnswers,
  RESOLVER_LIMITS,
  type Resolver,
} from "../../resolve/index.js";
import type { EgressReceipt } from "../../service/index.js";
import { systemTimers } from "../../system-timers.js";
import { type BrokerLab, grantFor, startBrokerLab } from "../broker-lab.js";
import { A, AAAA, a, aaaa, NXDOMAIN, response } from "../dns-message.js";
import { type DnsQuery, type DnsReply, send, startDnsServer } from "../dns-server.js";
import { type Packet, startCapture } from "./capture.js";
import { TAKEN } from "./matrix/hellos.js";
import type { Reach } from "./matrix/model.js";
import { flowOf, reachOf } from "./network-traffic.js";
import { OPAQUE, RESOLVER, RULES, TLS, VAULT, WEB } from "./places.js";
import { startVault, type Vault } from "./vault.js";

interface Test {
  after(fn: () => unknown): void;
}

/** A resolver that answers has all the time that a busy machine needs; one that doesn't, little. */
const PATIENCE_MS = 20_000;
const IMPATIENCE_MS = 300;

/** Longer than any answer is kept. */
const HOUR_MS = 3_600_000;

type Script = (query: DnsQuery) => DnsReply;

/** Any other name exists too, and is there, so that only the broker says no. */
export const TRUTH: Script = (query) => {
  if (query.type === A) return send(response(query, { answers: [a(query.name, WEB.v4)] }));
  if (query.type === AAAA) return send(response(query, { answers: [aaaa(query.name, WEB.v6)] }));
  return send(response(query, { rcode: NXDOMAIN }));
};

export interface Settings {
  /** What the resolver says. */
  script: Script;
  resolverAnswers: boolean;
  /** Nothing that was kept has grown old since the attempt before. */
  atOnce: boolean;
  /** Where the web server sends a client that asks for `/redirect`. */
  location: string;
  /** What the web server answers whatever it is asked; null: as it should. */
  webSays: string | null;
  /** What the TLS server answers to whatever it is sent. */
  tlsSays: Buffer;
}

const USUAL: Settings = {
  script: TRUTH,
  resolverAnswers: true,
  atOnce: false,
  location: "/",
  webSays: null,
  tlsSays: TAKEN,
};

export interface Seen {
  /** How far packets got that belong to no earlier connection. */
  readonly reach: Reach;
  /** All that servers were sent. */
  readonly bytes: Buffer;
  readonly receipts: readonly EgressReceipt[];
}

export interface Laboratory {
  readonly broker: BrokerLab;
  /** Where TLS is terminated. */
  readonly vault: Vault;
  /** Changes what servers say until `watch` has ended. */
  set(settings: Partial<Settings>): void;
  /**
   * What happens until `act` is done, apart from what belongs to earlier connections: as far as
   * kept answers know an hour after them, unless set otherwise.
   */
  watch(act: () => Promise<void>): Promise<Seen>;
  /** Resolves when every client's connection is over. */
  quiet(): Promise<void>;
  /** How many packets the kernel didn't show. */
  end(): Promise<number>;
}

/**
 * A whole broker in a network where every address answers: servers for each protocol on all of
 * them, a resolver that says what a test wants, and a record of every packet. Whatever doesn't get
 * through was kept by the broker, since nothing else would have.
 */
export const startLaboratory = async (
  test: Test,
  limits: Partial<EgressLimits> = {},
): Promise<Laboratory> => {
  const settings: Settings = { ...USUAL };
  let received: Buffer[] = [];
  const record = (talk: (said: Buffer) => Buffer | string) => (socket: Socket) => {
    socket.on("data", (said: Buffer) => {
      received.push(said);
      socket.write(talk(said));
    });
  };
  await serveEverywhere(
    test,
    OPAQUE.port,
    record((said) => said),
  );
  await serveEverywhere(
    test,
    TLS.port,
    record(() => settings.tlsSays),
  );
  await serveEverywhere(
    test,
    WEB.port,
    record((said) => webAnswer(said.toString("latin1"), settings)),
  );
  await startDnsServer(test, (query) => settings.script(query), RESOLVER);
  const vault = await startVault(test, (head) => received.push(Buffer.from(`${head}\n`)));
  const [patient, impatient] = [resolverWithin(PATIENCE_MS), resolverWithin(IMPATIENCE_MS)];
  let passedMs = 0;
  const broker = await startBrokerLab(test, {
    grants: [
      grantFor(OPAQUE.host, OPAQUE.port, { protocol: "tcp-opaque" }),
      grantFor(TLS.host, TLS.port),
      grantFor(WEB.host, WEB.port, { protocol: "http", requests: RULES }),
      grantFor(VAULT.host, VAULT.port, { terminate: true, requests: RULES }),
    ],
    names: {},
    limits,
    broker: {
      ...vault.broker,
      resolver: keepAnswers(
        {
          resolve: (host, signal) =>
            (settings.resolverAnswers ? patient : impatient).resolve(host, signal),
        },
        { now: () => systemTimers.now() + passedMs },
        DEFAULT_LIMITS.maxAnswerAgeMs,
      ),
    },
  });
  const capture = await startCapture(test);
  // Of the cell before, whose last packets may still come; not for longer, as ports are used again.
  let during = new Set<string>();
  const take = async (): Promise<readonly Packet[]> =>
    (await capture.take()).filter((packet) => !isClients(packet, broker.port));
  return {
    broker,
    vault,
    set: (changes) => Object.assign(settings, changes),
    watch: async (act) => {
      const before = new Set([...during, ...(await take()).map(flowOf)]);
      received = [];
      if (!settings.atOnce) passedMs += HOUR_MS;
      const receiptsBefore = broker.receipts.length;
      await act();
      Object.assign(settings, USUAL);
      const packets = (await take()).filter((packet) => !before.has(flowOf(packet)));
      during = new Set(packets.map(flowOf));
      return {
        reach: reachOf(packets, RESOLVER),
        bytes: Buffer.concat(received),
        receipts: broker.receipts.slice(receiptsBefore),
      };
    },
    quiet: async () => {
      while (broker.broker.counters.live > 0)
        await new Promise((resolve) => setTimeout(resolve, 1));
    },
    end: () => capture.end(),
  };
};

const resolverWithin = (timeoutMs: number): Resolver =>
  createResolver({
    servers: [RESOLVER],
    limits: { ...RESOLVER_LIMITS, timeoutMs },
    random: (bytes) => randomBytes(bytes),
    timers: systemTimers,
  });

const isClients = ({ to, fromPort, toPort }: Packet, port: number): boolean =>
  to === "127.0.0.1" && (fromPort === port || toPort === port);

/** On every address of both families. */
const serveEverywhere = async (
  test: Test,
  port: number,
  serve: (socket: Socket) => void,
): Promise<void> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A client may reset: that is what many are made to do here.
    socket.on("error", () => socket.destroy());
    serve(socket);
  });
  server.listen(port, "::");
  await once(server, "listening");
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
};

const webAnswer = (said: string, { location, webSays }: Settings): Buffer => {
  if (webSays !== null) return Buffer.from(webSays, "latin1");
  const head = / \/redirect /.test(said.split("\r\n", 1)[0] ?? "")
    ? `HTTP/1.1 302 Found\r\nLocation: ${location}\r\n`
    : "HTTP/1.1 200 OK\r\n";
  return Buffer.from(`${head}Content-Length: 4\r\n\r\nhere`, "latin1");
};
