import { Socket } from "node:net";
import { mock } from "node:test";
import { A, a, response } from "../../dns-message.js";
import { send } from "../../dns-server.js";
import { type Client, openOctets } from "../client.js";
import type { Laboratory } from "../laboratory.js";
import { OPAQUE } from "../places.js";
import { type Outcome, observe } from "./attempt.js";
import type { Expectation } from "./model.js";
import { granted, requestFor } from "./request.js";

interface Test {
  after(fn: () => unknown): void;
}

interface Limits {
  readonly maxConnections: number;
  readonly maxBytesUp: number;
}

/** Tried once beyond what is allowed, and once within it, which is its control. */
export interface BoundCell {
  readonly name: string;
  readonly expected: Expectation;
  readonly beyond: number;
  readonly within: number;
  attempt(test: Test, lab: Laboratory, limits: Limits, step: number): Promise<Outcome>;
}

const openTunnel = async (test: Test, lab: Laboratory): Promise<Client> => {
  const client = openOctets(test, lab.broker.port);
  client.say(requestFor("connect", granted("connect")));
  await client.answer();
  return client;
};

const leave = async (client: Client): Promise<void> => {
  client.socket.end();
  await client.read(Number.POSITIVE_INFINITY);
};

export const BOUND_CELLS: readonly BoundCell[] = [
  {
    name: "connections",
    expected: { reason: "CAPACITY", reach: "nothing" },
    beyond: 0,
    within: -1,
    attempt: async (test, lab, { maxConnections }, step) => {
      const before = Array.from({ length: maxConnections + step }, () => openTunnel(test, lab));
      const open = await Promise.all(before);
      const earlier = new Set(lab.broker.receipts);
      return observe(lab, async () => {
        const client = openOctets(test, lab.broker.port);
        client.say(requestFor("connect", granted("connect")));
        const { status } = await client.answer();
        if (status === 200) client.say("ping");
        await client.read(status === 200 ? "ping".length : 0);
        for (const other of [client, ...open]) await leave(other);
        // It is written after a while, once for all that were turned away.
        if (status !== 200) {
          await lab.broker.receipt((one) => one.kind === "shed" && !earlier.has(one));
        }
      });
    },
  },
  {
    name: "bytes up",
    expected: { reason: "BYTES_UP", reach: "service" },
    beyond: 1,
    within: 0,
    attempt: (test, lab, { maxBytesUp }, step) =>
      observe(lab, async () => {
        const client = await openTunnel(test, lab);
        client.say("x".repeat(maxBytesUp + step));
        await client.read(maxBytesUp);
        await leave(client);
      }),
  },
  {
    // What the kernel says counts, also if this process, or the library under it, goes astray.
    name: "a dial that leads elsewhere",
    expected: { reason: "CONNECT_FAILED", reach: "handshake" },
    beyond: 1,
    within: 0,
    attempt: async (test, lab, _limits, step) => {
      lab.set({
        script: (query) =>
          send(response(query, { answers: query.type === A ? [a(query.name, OPAQUE.v4)] : [] })),
      });
      const comeBack = step === 1 ? leadAstray(OPAQUE.v4, "93.184.216.35") : () => undefined;
      try {
        return await observe(lab, async () => {
          const client = await openTunnel(test, lab);
          client.say("ping");
          await client.read("ping".length);
          await leave(client);
        });
      } finally {
        comeBack();
      }
    },
  },
];

/** From now on sockets of this process that are to connect to one address connect to another. */
const leadAstray = (from: string, to: string): (() => void) => {
  const sockets: { connect(...args: unknown[]): unknown } = Socket.prototype;
  const { connect } = sockets;
  const replaced = mock.method(sockets, "connect", function (this: unknown, ...args: unknown[]) {
    const [options, ...rest] = args;
    const led =
      typeof options === "object" && options !== null && "host" in options && options.host === from
        ? { ...options, host: to }
        : options;
    return connect.apply(this, [led, ...rest]);
  });
  return () => replaced.mock.restore();
};
