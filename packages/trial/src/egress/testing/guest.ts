/**
 * What a program in the guest does, as text for `node -e`: it reads one order a line and answers
 * with one line. `get HOST:PORT SNI` asks for a page through a tunnel of the proxy, `hold HOST:PORT
 * SNI` keeps the tunnel open and says how it ended, `direct ADDRESS PORT` ignores the proxy.
 *
 * @param authority certificate that the upstream's is signed with, as PEM
 */
export const guestProgram = (authority: string): string => `
const net = require("node:net"), tls = require("node:tls"), readline = require("node:readline");
const ca = ${JSON.stringify(authority)};
const say = (line) => process.stdout.write(line + "\\n");
const connectTo = (target) => new Promise((resolve, reject) => {
  const socket = net.connect(3128, "127.0.0.1");
  socket.once("error", reject);
  socket.write("CONNECT " + target + " HTTP/1.1\\r\\nHost: " + target + "\\r\\n\\r\\n");
  socket.once("data", (head) => {
    const text = head.toString("latin1");
    if (text.startsWith("HTTP/1.1 200 ")) return resolve(socket);
    reject(new Error(/Drydock-Reason: ([A-Z_]+)/.exec(text)?.[1] ?? text));
    socket.destroy();
  });
});
const secure = async (target, servername) => {
  const socket = await connectTo(target);
  return new Promise((resolve, reject) => {
    const secured = tls.connect({ socket, servername, ca }, () => resolve(secured));
    secured.once("error", reject);
    socket.once("close", () => reject(new Error("CLOSED")));
  });
};
const orders = {
  get: async (target, name) => {
    const stream = await secure(target, name);
    stream.write("GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");
    let body = "";
    for await (const chunk of stream) body += chunk;
    return body.split("\\r\\n\\r\\n")[1];
  },
  hold: async (target, name) => {
    const stream = await secure(target, name);
    say("holding");
    return new Promise((resolve) => {
      stream.on("error", () => undefined);
      stream.once("close", () => resolve("tunnel closed"));
    });
  },
  direct: (address, port) => new Promise((resolve, reject) => {
    const socket = net.connect({ host: address, port: Number(port), timeout: 3000 });
    socket.once("connect", () => resolve("connected")).once("error", reject);
    socket.once("timeout", () => reject(new Error("TIMEOUT")));
  }),
  env: async (name) => JSON.stringify(process.env[name] ?? null),
};
readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  const [order, ...rest] = line.split(" ");
  try {
    say(line + ": " + (await orders[order](...rest)));
  } catch (error) {
    say(line + ": refused " + (error.code ?? error.message));
  }
}).on("close", () => process.exit(0));
say("ready");
`;
