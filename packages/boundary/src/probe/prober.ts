import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { lookup } from "./lookup.js";
import { type Answer, type Ask, askSchema, type Endpoint, type Outcome } from "./protocol.js";
import { tunnel } from "./tunnel.js";

/**
 * A program that is run in a container's network namespace: it tries flows from there and answers
 * others. What a listener of its own receives it never reads. Its listeners end with it, and it with its input.
 */

/** Within its own namespace an answer takes no time; a busy machine does. */
const SELF_MS = 1_000;
const RESEND_MS = 250;

type Tried = Extract<Ask, { readonly ask: "try" }>;

const outcomeOf = (code: string | undefined): Outcome => {
  switch (code) {
    case "ECONNREFUSED":
    // The other end was reached, and ended it.
    case "ECONNRESET":
      return "refused";
    // No route, or nobody has the address: the flow doesn't get there.
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
      return "silent";
    default:
      return "unsendable";
  }
};

const tryTcp = ({ from, to, timeoutMs }: Tried): Promise<Outcome> =>
  new Promise((resolve) => {
    const socket = connect({ ...to, localAddress: from.host, localPort: from.port });
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(end, timeoutMs, "silent");
    socket.once("connect", () => end("reached"));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => end(outcomeOf(code)));
  });

const tryUdp = ({ from, to, timeoutMs }: Tried): Promise<Outcome> =>
  new Promise((resolve) => {
    const socket = createSocket("udp4");
    let again: NodeJS.Timeout | undefined;
    const end = (outcome: Outcome) => {
      clearInterval(again);
      clearTimeout(timer);
      socket.removeAllListeners().on("error", () => undefined);
      socket.close();
      resolve(outcome);
    };
    const timer = setTimeout(end, timeoutMs, "silent");
    socket.once("message", () => end("reached"));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => end(outcomeOf(code)));
    socket.bind(from.port, from.host, () =>
      socket.connect(to.port, to.host, () => {
        const send = () =>
          socket.send("probe", (error: NodeJS.ErrnoException | null) => {
            if (error !== null) end(outcomeOf(error.code));
          });
        send();
        again = setInterval(send, RESEND_MS);
      }),
    );
  });

const attempt = (tried: Tried): Promise<Outcome> =>
  tried.protocol === "tcp" ? tryTcp(tried) : tryUdp(tried);

/** Whether there is something that can be bound now. */
const listen = (protocol: "tcp" | "udp", { host, port }: Endpoint): Promise<boolean> =>
  new Promise((resolve) => {
    if (protocol === "tcp") {
      const server = createServer((socket) => {
        socket.on("error", () => socket.destroy());
        socket.resume();
        socket.once("end", () => socket.destroy());
      });
      server.once("error", () => resolve(false)).listen(port, host, () => resolve(true));
      return;
    }
    const socket = createSocket("udp4");
    socket.on("message", (_message, peer) =>
      // Who asks may be gone by now, which is no news to anybody.
      socket.send("probe", peer.port, peer.address, () => undefined),
    );
    socket.once("error", () => resolve(false)).bind(port, host, () => resolve(true));
  });

/** "Blocked" has to mean more than that nothing listens, so the destination is tried from within first. */
const serve = async ({
  protocol,
  on,
}: Extract<Ask, { readonly ask: "serve" }>): Promise<Outcome> => {
  const self = {
    ask: "try",
    id: 0,
    protocol,
    from: { host: on.host, port: 0 },
    to: on,
    timeoutMs: SELF_MS,
  } as const;
  const before = await attempt(self);
  if (before === "reached" || before === "unsendable") return before;
  if (before === "silent" || !(await listen(protocol, on))) return "taken";
  return attempt(self);
};

const nothingSaid = async (outcome: Promise<Outcome>): Promise<Answer> => ({
  outcome: await outcome,
  said: [],
});

const answerTo = (ask: Ask): Promise<Answer> => {
  switch (ask.ask) {
    case "serve":
      return nothingSaid(serve(ask));
    case "try":
      return nothingSaid(attempt(ask));
    case "tunnel":
      return tunnel(ask);
    case "lookup":
      return lookup(ask);
  }
};

const lines = createInterface(process.stdin);
lines.on("close", () => process.exit());
lines.on("line", (line) => {
  const ask = askSchema.parse(JSON.parse(line));
  void answerTo(ask).then((answer) =>
    process.stdout.write(`${JSON.stringify({ id: ask.id, ...answer })}\n`),
  );
});
