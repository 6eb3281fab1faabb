import assert from "node:assert/strict";
import { once } from "node:events";
import type { Http2ServerResponse } from "node:http2";
import { createServer } from "node:https";
import { createServer as createTcp } from "node:net";
import { describe, test } from "node:test";
import { curl } from "./testing/clients.js";
import { ask, openH2 } from "./testing/h2.js";
import { AUTHORITY, caFor, listen, openDoor, startUpstream } from "./testing/lab.js";
import { commonProtocols } from "./upstream.js";
import { issueRoot, issueServer } from "./x509.js";

const URL_OF = `https://${AUTHORITY.host}/`;

describe("an upstream has to prove its name", () => {
  test("by a root that is named: the same one passes with it and not without", async (t) => {
    const upstream = await startUpstream(t);
    const named = await openDoor(t, { upstream });
    assert.equal((await curl(t, named, URL_OF)).stdout, "hello over 1.1\n");

    const unnamed = await openDoor(t, { upstream, upstreamRoots: [] });
    const ran = await curl(t, unnamed, URL_OF);
    assert.notEqual(ran.code, 0);
    assert.equal((await unnamed.ended(1))[0]?.reason, "UPSTREAM_CERTIFICATE");
    assert.equal(upstream.seen.length, 1);
  });

  test("and not that of another host", async (t) => {
    const upstream = await startUpstream(t, { host: "other.example.com" });
    const door = await openDoor(t, { upstream });
    assert.notEqual((await curl(t, door, URL_OF)).code, 0);
    assert.equal((await door.ended(1))[0]?.reason, "UPSTREAM_CERTIFICATE");
    assert.equal(upstream.seen.length, 0);
  });

  test("at this time", async (t) => {
    const upstream = await startUpstream(t);
    const hour = 3_600_000;
    const at = (offset: number) => new Date(Date.now() + offset);
    const validity = { notBefore: at(-2 * hour), notAfter: at(hour) };
    const root = await issueRoot("test", [AUTHORITY.host], validity, "01");
    for (const [notAfter, reason] of [
      [at(hour), "CLOSED"],
      [at(-hour), "UPSTREAM_CERTIFICATE"],
    ] as const) {
      const leaf = await issueServer(root, AUTHORITY.host, { ...validity, notAfter }, "02");
      const server = createServer({ cert: leaf.certificatePem, key: leaf.keyPem }, (_, response) =>
        response.end("here"),
      );
      const door = await openDoor(t, {
        upstream: { ...upstream, port: await listen(t, server) },
        upstreamRoots: [root.certificatePem],
      });
      await curl(t, door, URL_OF);
      assert.equal((await door.ended(1))[0]?.reason, reason);
    }
  });

  test("before the client sees any certificate", async (t) => {
    const silent = createTcp((socket) => socket.resume());
    const port = await listen(t, silent);
    const door = await openDoor(t, {
      upstream: { port, ca: await caFor(AUTHORITY.host) },
      limits: { handshakeTimeoutMs: 300 },
    });
    const ran = await curl(t, door, URL_OF);
    assert.equal(ran.code, 35, "curl: TLS connect error, not a certificate that it refused (60)");
    assert.equal((await door.ended(1))[0]?.reason, "UPSTREAM_TLS");
  });

  test("in TLS: a server that speaks something else ends the tunnel", async (t) => {
    const plain = createTcp((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    const port = await listen(t, plain);
    const door = await openDoor(t, { upstream: { port, ca: await caFor(AUTHORITY.host) } });
    assert.equal((await curl(t, door, URL_OF)).code, 35);
    assert.equal((await door.ended(1))[0]?.reason, "UPSTREAM_TLS");
  });
});

describe("one connection of the client has one of the upstream", () => {
  test("and clients that ask for the same at once share none", async (t) => {
    const upstream = await startUpstream(t, { h2: true });
    let connections = 0;
    upstream.server.on("secureConnection", () => {
      connections += 1;
    });
    const door = await openDoor(t, { upstream });
    const session = await openH2(t, door);
    await Promise.all([ask(session, { ":path": "/a" }), ask(session, { ":path": "/b" })]);
    assert.equal(connections, 1);
    await ask(await openH2(t, door), { ":path": "/c" });
    assert.equal(connections, 2);
    assert.equal(upstream.seen.length, 3);
  });

  test("of the same protocol", () => {
    assert.deepEqual(commonProtocols(null), ["http/1.1"]);
    assert.deepEqual(commonProtocols(["h2", "http/1.1"]), ["h2", "http/1.1"]);
    assert.deepEqual(commonProtocols(["http/1.1", "http/1.0"]), ["http/1.1"]);
    assert.equal(commonProtocols(["h3", "acme-tls/1"]), null);
  });

  test("and the client's ends when the upstream's does", async (t) => {
    const upstream = await startUpstream(t, { h2: true });
    const opened = once(upstream.server, "session");
    const door = await openDoor(t, { upstream });
    const session = await openH2(t, door);
    assert.equal((await ask(session, { ":path": "/" })).status, 200);
    const closed = once(session, "close");
    const [far] = await opened;
    far.close();
    await closed;
    assert.equal((await door.ended(1))[0]?.reason, "CLOSED");
  });
});

describe("a response that is broken off doesn't look complete", () => {
  test("over HTTP/2", async (t) => {
    const upstream = await startUpstream(t, {
      h2: true,
      handler: (_request, response) => {
        const { stream } = response as unknown as Http2ServerResponse;
        response.write("half of it", () => stream.close(2));
      },
    });
    const door = await openDoor(t, { upstream });
    const answer = await ask(await openH2(t, door), { ":path": "/" });
    assert.equal(answer.status, 200);
    assert.notEqual(answer.code, 0);
  });

  test("over HTTP/1.1", async (t) => {
    const upstream = await startUpstream(t, {
      handler: (_request, response) => {
        response.write("half of it", () => response.destroy());
      },
    });
    const door = await openDoor(t, { upstream });
    const ran = await curl(t, door, URL_OF);
    assert.ok([18, 56].includes(ran.code ?? 0), `curl says that it is partial: ${ran.code}`);
    assert.equal((await door.ended(1))[0]?.reason, "UPSTREAM_RESET");
  });
});
