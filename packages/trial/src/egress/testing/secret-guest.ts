/**
 * What a program in the guest does that uses a secret, as text for `node -e`. Each line is an order
 * and gets one line as its answer. `ask AUTHORITY PATH VARIABLE` sends a request with the variable as
 * its token, and trusts what the environment says; `send AUTHORITY VARIABLE` puts the variable, in
 * hexadecimal, into a path; `holds VARIABLE FILE` compares; `print` and `keep` put it out in base64.
 */
export const SECRET_PROGRAM = `
const fs = require("node:fs"), net = require("node:net"), tls = require("node:tls");
const readline = require("node:readline");
const say = (line) => process.stdout.write(line + "\\n");
const proxy = new URL(process.env.HTTPS_PROXY);
const connectTo = (target) => new Promise((resolve, reject) => {
  const socket = net.connect(Number(proxy.port), proxy.hostname);
  socket.once("error", reject);
  socket.write("CONNECT " + target + " HTTP/1.1\\r\\nHost: " + target + "\\r\\n\\r\\n");
  socket.once("data", (head) => {
    const text = head.toString("latin1");
    if (text.startsWith("HTTP/1.1 200 ")) return resolve(socket);
    reject(new Error(/Drydock-Reason: ([A-Z_]+)/.exec(text)?.[1] ?? text));
  });
});
const request = async (target, path, token) => {
  const [servername] = target.split(":");
  const socket = await connectTo(target);
  const stream = await new Promise((resolve, reject) => {
    const secured = tls.connect({ socket, servername }, () => resolve(secured));
    secured.once("error", reject);
  });
  stream.write("GET " + path + " HTTP/1.1\\r\\nHost: " + servername + "\\r\\nConnection: close\\r\\n" +
    "Authorization: Bearer " + token + "\\r\\n\\r\\n");
  let answer = "";
  for await (const chunk of stream) answer += chunk;
  const [head, body] = answer.split("\\r\\n\\r\\n");
  if (!body) throw new Error("CLOSED after " + JSON.stringify(head));
  return JSON.stringify(body);
};
const orders = {
  env: async (name) => String(process.env[name]),
  ask: (target, path, name) => request(target, path, process.env[name]),
  send: (target, name) => request(target, "/" + Buffer.from(process.env[name]).toString("hex"), "x"),
  holds: async (name, file) =>
    process.env[name] === fs.readFileSync(file, "utf8").trimEnd() ? "yes" : "no",
  print: async (name) => Buffer.from(process.env[name]).toString("base64"),
  keep: async (name, file) => fs.writeFileSync(file, process.env[name]) ?? "kept",
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
