import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { clientHello, filler, keyShare, serverHello, sni } from "../hello/testing/build-hello.js";
import { endOf, grantFor, openTunnel, startRecorder } from "../testing/broker-lab.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { API, HERE, lab, NETWORK } from "./testing/names.js";

enterPrivateNetwork(import.meta.url, NETWORK);

describe("a tunnel for TLS", () => {
  const named = (name: string) => clientHello({ extensions: [keyShare(), sni(name)] });

  it("forwards a hello that names the authority, untouched, and none that doesn't", async (t) => {
    const cases = [
      ["as it should be", named(API), null],
      ["another name", named("other.example.com"), "SNI_DIFFERENT"],
      ["no name", clientHello({ extensions: [keyShare()] }), "SNI_ABSENT"],
      ["two names", clientHello({ extensions: [sni(API), sni("b.example.com")] }), "SNI_DUPLICATE"],
      ["ECH", clientHello({ extensions: [filler(0xfe0d, 200), sni(API)] }), "ECH"],
      ["no TLS", Buffer.from("GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n"), "HELLO_NOT_TLS"],
      ["SSH", Buffer.from("SSH-2.0-client\r\n"), "HELLO_NOT_TLS"],
    ] as const;
    for (const [what, bytes, reason] of cases) {
      const { port, receipt } = await lab(t);
      const upstream = await startRecorder(t, HERE, 443, (socket) => socket.write("banner"));
      const { socket, answer } = await openTunnel(t, port, `${API}:443`);
      assert.equal(answer.status, 200, what);
      for (let at = 0; at < bytes.length; at += 300) {
        socket.write(bytes.subarray(at, at + 300));
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (reason === null) {
        const far = await upstream.connection();
        while (upstream.bytes.length < bytes.length) await once(far, "data");
        assert.deepEqual(upstream.bytes, bytes);
        const [first] = await once(socket, "data");
        assert.equal(String(first), "banner");
        socket.resetAndDestroy();
      } else {
        let said = "";
        socket.on("data", (chunk) => {
          said += chunk;
        });
        assert.equal(await endOf(socket), "ECONNRESET", what);
        assert.equal(said, "", `${what}: nothing is ever written into a tunnel`);
        assert.equal(upstream.bytes.length, 0, what);
        assert.equal(upstream.connections, 1);
      }
      const closed = await receipt(({ kind }) => kind === "closed");
      assert(closed.kind === "closed");
      assert.deepEqual(
        [closed.reason, closed.serverName, closed.up],
        reason === null ? ["CLIENT_RESET", "equal", bytes.length] : [reason, "refused", 0],
        what,
      );
      upstream.close();
    }
  });

  it("holds a second hello to the same name, also when it is sent ahead", async (t) => {
    for (const [name, reason] of [
      [API, null],
      ["other.example.com", "SNI_DIFFERENT"],
    ] as const) {
      const { port, receipt } = await lab(t);
      const upstream = await startRecorder(t, HERE, 443, (socket) => {
        socket.once("data", () => socket.write(serverHello(true)));
      });
      const { socket } = await openTunnel(t, port, `${API}:443`);
      const [first, second] = [named(API), named(name)];
      socket.write(Buffer.concat([first, second]));
      if (reason === null) {
        const far = await upstream.connection();
        while (upstream.bytes.length < first.length + second.length) await once(far, "data");
        socket.resetAndDestroy();
      } else {
        assert.equal(await endOf(socket), "ECONNRESET");
        assert.deepEqual(upstream.bytes, first);
      }
      const closed = await receipt(({ kind }) => kind === "closed");
      assert(closed.kind === "closed");
      assert.equal(closed.reason, reason ?? "CLIENT_RESET");
      upstream.close();
    }
  });

  it("accepts an encrypted hello where the policy makes the exception", async (t) => {
    const { port } = await lab(t, { grants: [grantFor(API, 443, { allowEch: true })] });
    const upstream = await startRecorder(t, HERE, 443);
    const { socket } = await openTunnel(t, port, `${API}:443`);
    const hello = clientHello({ extensions: [filler(0xfe0d, 200), sni(API)] });
    socket.write(hello);
    const far = await upstream.connection();
    await once(far, "data");
    assert.deepEqual(upstream.bytes, hello);
  });

  it("ends when the hello doesn't come, or its sender goes away", async (t) => {
    const { port, receipts, receipt } = await lab(t, { limits: { helloTimeoutMs: 1_000 } });
    await startRecorder(t, HERE, 443);
    const slow = await openTunnel(t, port, `${API}:443`);
    const hello = named(API);
    const timer = setInterval(() => slow.socket.write(hello.subarray(0, 1)), 50);
    t.after(() => clearInterval(timer));
    const quiet = await openTunnel(t, port, `${API}:443`);
    assert.equal(await endOf(quiet.socket), "ECONNRESET");
    await endOf(slow.socket);
    const gone = await openTunnel(t, port, `${API}:443`);
    gone.socket.resetAndDestroy();
    await receipt((one) => one.kind === "closed" && one.reason === "CLIENT_RESET");
    const reasons = receipts.flatMap((one) => (one.kind === "closed" ? [one.reason] : []));
    assert.equal(reasons.filter((reason) => reason === "HELLO_TIMEOUT").length, 1);
    assert.equal(reasons.length, 3);
  });

  it("is used by real clients: openssl, curl, Node, also with a retry", async (t) => {
    const { port } = await lab(t);
    const run = promisify(execFile);
    const { directory, server } = await startTlsServer(t);
    const proxy = `127.0.0.1:${port}`;
    const curl = await run("curl", [
      ...["-sS", "--cacert", `${directory}/ca.pem`, "--proxy", `http://${proxy}`],
      `https://${API}/curl`,
    ]);
    assert.match(curl.stdout, /s_server -accept/);
    // P-256 first, so that a server that wants P-521 has to ask again.
    const args = ["s_client", "-proxy", proxy, "-connect", `${API}:443`, "-groups", "P-256:P-521"];
    const openssl = run("openssl", [...args, "-servername", API, "-CAfile", `${directory}/ca.pem`]);
    openssl.child.stdin?.end("GET /openssl HTTP/1.0\r\n\r\n");
    assert.match((await openssl).stdout, /secp521r1[\s\S]*Verify return code: 0/);
    const refused = run("curl", [
      ...["-sS", "--cacert", `${directory}/ca.pem`, "--proxy", `http://${proxy}`],
      "https://other.example.com/",
    ]);
    await assert.rejects(refused, /403/);
    server.kill();
  });
});

/** `openssl s_server` that insists on P-521, so that every client with another share is asked again. */
const startTlsServer = async (t: TestContext) => {
  const directory = mkdtempSync("/tmp/drydock-tls-");
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const run = promisify(execFile);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await run("openssl", [
    ...["req", "-x509", ...key, "-keyout", `${directory}/key.pem`, "-out", `${directory}/ca.pem`],
    ...["-subj", `/CN=${API}`, "-addext", `subjectAltName=DNS:${API}`, "-days", "30"],
  ]);
  const server = spawn(
    "openssl",
    [
      ...["s_server", "-accept", `${HERE}:443`, "-www", "-groups", "P-521"],
      ...["-cert", `${directory}/ca.pem`, "-key", `${directory}/key.pem`],
    ],
    { stdio: "ignore" },
  );
  t.after(() => server.kill("SIGKILL"));
  for (;;) {
    const probe = connect(443, HERE);
    const ready = await Promise.race([
      once(probe, "connect").then(() => true),
      once(probe, "error").then(() => false),
    ]).catch(() => false);
    probe.destroy();
    if (ready) return { directory, server };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
