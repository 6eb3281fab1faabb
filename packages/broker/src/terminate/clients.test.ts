import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { createSecret, DEFAULT_SECRET_HEADERS } from "../secret/index.js";
import { curl, run } from "./testing/clients.js";
import { AUTHORITY, type Handler, openDoor, startUpstream } from "./testing/lab.js";

const URL_OF = `https://${AUTHORITY.host}`;

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Answers with the digest of what it was sent. */
const digestHandler: Handler = (request, response) => {
  const hash = createHash("sha256");
  request.on("data", (chunk) => hash.update(chunk));
  request.on("end", () => response.end(hash.digest("hex")));
  request.on("error", () => undefined);
};

describe("curl reaches a terminated authority", () => {
  for (const [name, flag, h2] of [
    ["HTTP/1.1", "--http1.1", true],
    ["HTTP/2", "--http2", true],
    ["HTTP/1.1 where the upstream knows no other", "--http2", false],
  ] as const) {
    test(`over ${name}`, async (t) => {
      const upstream = await startUpstream(t, { h2 });
      const door = await openDoor(t, { upstream });
      const ran = await curl(t, door, flag, `${URL_OF}/a?b=c`);
      assert.deepEqual(ran, {
        code: 0,
        stdout: `hello over ${flag === "--http2" && h2 ? "2.0" : "1.1"}\n`,
        stderr: "",
      });
      assert.equal(upstream.seen[0]?.url, "/a?b=c");
      const [outcome] = await door.ended(1);
      assert.equal(outcome?.reason, "CLOSED");
      assert.equal(outcome.admitted, 1);
    });
  }

  for (const flag of ["--http1.1", "--http2"]) {
    test(`with megabytes both ways, ${flag}`, async (t) => {
      const bytes = randomBytes(6 << 20);
      const file = join(temporaryDirectory(t), "body");
      writeFileSync(file, bytes);
      const handler: Handler = (request, response) =>
        request.method === "GET" ? response.end(bytes) : digestHandler(request, response);
      const upstream = await startUpstream(t, { h2: true, handler });
      const door = await openDoor(t, { upstream });
      // curl expects 100 before a body of this size.
      const up = await curl(t, door, flag, "--data-binary", `@${file}`, URL_OF);
      assert.deepEqual(up, { code: 0, stdout: digest(bytes), stderr: "" });
      const chunked = await curl(
        t,
        door,
        flag,
        "-T",
        file,
        "-H",
        "Transfer-Encoding: chunked",
        URL_OF,
      );
      assert.equal(chunked.stdout, digest(bytes));
      const down = join(temporaryDirectory(t), "down");
      assert.equal((await curl(t, door, flag, "-o", down, URL_OF)).code, 0);
      assert.equal(digest(readFileSync(down)), digest(bytes));
    });

    test(`by HEAD, and for answers without a body, ${flag}`, async (t) => {
      const handler: Handler = (request, response) => {
        response.writeHead(request.url === "/none" ? 204 : 200, { "x-a": "b", "alt-svc": "h3" });
        response.end();
      };
      const upstream = await startUpstream(t, { h2: true, handler });
      const door = await openDoor(t, { upstream });
      const head = await curl(t, door, flag, "-I", `${URL_OF}/`);
      assert.match(head.stdout, /x-a: b/i);
      assert.doesNotMatch(head.stdout, /alt-svc/i, "another way to the origin isn't advertised");
      const none = await curl(t, door, flag, "-w", "%{http_code}", `${URL_OF}/none`);
      assert.equal(none.stdout, "204");
    });

    test(`several times on one connection, ${flag}`, async (t) => {
      const upstream = await startUpstream(t, { h2: true });
      const door = await openDoor(t, { upstream });
      const urls = Array.from({ length: 5 }, (_, index) => `${URL_OF}/${index}`);
      assert.equal((await curl(t, door, flag, ...urls)).stdout.match(/hello/g)?.length, 5);
      const outcomes = await door.ended(1);
      assert.deepEqual(
        outcomes.map(({ admitted, reason }) => ({ admitted, reason })),
        [{ admitted: 5, reason: "CLOSED" }],
      );
    });
  }

  test("and trusts the run's CA in that guest only", async (t) => {
    const upstream = await startUpstream(t);
    const door = await openDoor(t, { upstream });
    const other = await openDoor(t, { upstream });
    const ran = await curl(t, { ...door, ca: other.ca }, URL_OF);
    assert.equal(ran.code, 60, "curl: certificate that isn't trusted");
    assert.equal((await door.ended(1))[0]?.reason, "CLIENT_TLS");
    assert.equal(upstream.seen.length, 0);
  });
});

describe("other clients, told by the variables alone", () => {
  test("Python's urllib", async (t) => {
    const upstream = await startUpstream(t);
    const door = await openDoor(t, { upstream });
    const script = `
import socket, urllib.request
real = socket.create_connection
socket.create_connection = lambda address, *rest, **more: real(("127.0.0.1", ${door.port}), *rest, **more)
print(urllib.request.urlopen("${URL_OF}/p").read().decode(), end="")`;
    assert.deepEqual(await run(t, door, "python3", ["-c", script]), {
      code: 0,
      stdout: "hello over 1.1\n",
      stderr: "",
    });
  });

  test("Node's fetch", async (t) => {
    const upstream = await startUpstream(t, { h2: true, handler: digestHandler });
    const door = await openDoor(t, { upstream, ownPort: true });
    const script = `
const dns = require("node:dns");
dns.lookup = (name, options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
fetch("https://${AUTHORITY.host}:${door.port}/f", { method: "POST", body: "x".repeat(100000) })
  .then((answer) => answer.text()).then(console.log);`;
    assert.deepEqual(await run(t, door, process.execPath, ["-e", script]), {
      code: 0,
      stdout: `${digest(Buffer.alloc(100_000, "x"))}\n`,
      stderr: "",
    });
  });

  test("git, which Debian links with GnuTLS, with a token that it never sees", async (t) => {
    const directory = temporaryDirectory(t);
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-C", directory, ...args], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
      });
    git("init", "--quiet", "--initial-branch=main", ".");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-mx");
    git("update-server-info");
    const token = "ghp_0123456789abcdefghij";
    const authorized = `Basic ${Buffer.from(`x:${token}`).toString("base64")}`;
    const handler: Handler = (request, response) => {
      const path = join(directory, ".git", (request.url ?? "").split("?")[0]?.slice(2) ?? "");
      if (request.headers.authorization !== authorized) {
        response.writeHead(401, { "www-authenticate": "Basic" }).end();
      } else if (existsSync(path)) response.end(readFileSync(path));
      else response.writeHead(404).end();
    };
    const upstream = await startUpstream(t, { handler });
    const secret = createSecret({
      name: "TOKEN",
      authority: AUTHORITY,
      headers: DEFAULT_SECRET_HEADERS,
      value: token,
      random: randomBytes,
    });
    const door = await openDoor(t, { upstream, secrets: [secret] });
    const ran = await run(t, door, "git", [
      "-c",
      `http.curloptResolve=${AUTHORITY.host}:443:127.0.0.1`,
      "-c",
      `http.proxy=http://127.0.0.1:${door.port}`,
      "ls-remote",
      `https://x:${secret.placeholder}@${AUTHORITY.host}/r`,
    ]);
    assert.equal(ran.stderr, "");
    assert.match(ran.stdout, /^[0-9a-f]{40}\tHEAD\n[0-9a-f]{40}\trefs\/heads\/main\n$/);
  });
});
