import { PACKAGE, REGISTRY } from "./site.js";

/** A program that people use, and how it asks a host for something. */
export interface RealClient {
  readonly name: string;
  readonly granted: string;
  /** Its arguments; `host` is the granted one, or another. */
  readonly run: (host: string) => readonly string[];
  /** What it prints when it got through. */
  readonly prints: RegExp;
}

/** Node's fetch knows no proxies: a connector brings it to the broker's door. */
const NODE_FETCH = `
const http = require("node:http"), tls = require("node:tls");
const dispatchers = Symbol.for("undici.globalDispatcher.1");
const connect = ({ hostname, port }, done) => {
  const path = hostname + ":" + (port || 443);
  // Without it, Node would name the proxy as Host.
  const headers = { host: path };
  const request = http.request({ host: "127.0.0.1", port: 3128, method: "CONNECT", path, headers });
  request.on("error", done).on("connect", (answer, socket) => {
    if (answer.statusCode !== 200) return done(new Error(answer.headers["drydock-reason"]));
    const secure = tls.connect({ socket, servername: hostname }, () => done(null, secure));
    secure.on("error", done);
  }).end();
};
(async () => {
  await fetch("data:,");
  const dispatcher = new globalThis[dispatchers].constructor({ connect });
  console.log(await (await fetch("https://" + process.argv[1] + "/", { dispatcher })).text());
})();`;

const PYTHON = `
import sys, urllib.request
print(urllib.request.urlopen("https://%s/" % sys.argv[1]).read().decode())`;

export const REAL_CLIENTS: readonly RealClient[] = [
  {
    name: "curl",
    granted: "api.example.com",
    run: (host) => ["curl", "-sS", "--max-time", "60", `https://${host}/`],
    prints: /hello from outside/,
  },
  {
    name: "openssl s_client -proxy",
    granted: "api.example.com",
    run: (host) => [
      "sh",
      "-c",
      `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | openssl s_client -proxy 127.0.0.1:3128 -connect ${host}:443 -servername ${host} -CAfile /work/ca.pem -verify_return_error -quiet -ign_eof`,
    ],
    prints: /hello from outside/,
  },
  {
    name: "Python urllib",
    granted: "api.example.com",
    run: (host) => ["python3", "-c", PYTHON, host],
    prints: /hello from outside/,
  },
  {
    name: "Node fetch",
    granted: "api.example.com",
    run: (host) => ["node", "-e", NODE_FETCH, host],
    prints: /hello from outside/,
  },
  {
    name: "git over HTTPS",
    granted: "git.example.com",
    run: (host) => [
      "sh",
      "-c",
      `rm -rf /tmp/clone; git clone -q https://${host}/sample.git /tmp/clone && cat /tmp/clone/README`,
    ],
    prints: /cloned through the broker/,
  },
  {
    name: "npm install",
    granted: REGISTRY,
    run: (host) => [
      "sh",
      "-c",
      `rm -rf /tmp/npm; mkdir /tmp/npm; cd /tmp/npm; npm install --no-audit --no-fund --fetch-retries=0 --registry=https://${host}/ ${PACKAGE} >&2 && node -p 'require("${PACKAGE}")'`,
    ],
    prints: /installed through the broker/,
  },
];
