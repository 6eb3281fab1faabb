import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { createSecret, DEFAULT_SECRET_HEADERS } from "../secret/index.js";
import { curl } from "./testing/clients.js";
import { exchange } from "./testing/h1.js";
import { ask, openH2 } from "./testing/h2.js";
import { AUTHORITY, type Handler, openDoor, startUpstream } from "./testing/lab.js";

const VALUE = "sk-live-4f1eZq9-Vb3";
const URL_OF = `https://${AUTHORITY.host}/`;

const secretFor = (name: string, host: string, value = VALUE) =>
  createSecret({
    name,
    authority: { host, port: 443 },
    headers: DEFAULT_SECRET_HEADERS,
    value,
    random: randomBytes,
  });

const HERE = secretFor("API_KEY", AUTHORITY.host);
const OTHER = secretFor("OTHER_KEY", "other.example.com", "another-value-entirely");
const secrets = [HERE, OTHER];

for (const http of ["--http1.1", "--http2"] as const) {
  describe(`a secret, over ${http.slice(2)}`, () => {
    test("reaches its authority, and the guest sends a placeholder", async (t) => {
      const upstream = await startUpstream(t, { h2: true });
      const door = await openDoor(t, { upstream, secrets });
      const ran = await curl(
        t,
        door,
        http,
        "-H",
        `Authorization: Bearer ${HERE.placeholder}`,
        URL_OF,
      );
      assert.equal(ran.code, 0);
      assert.equal(upstream.seen[0]?.headers.authorization, `Bearer ${VALUE}`);
      assert.equal(upstream.seen[0]?.headers["accept-encoding"], "identity");
      assert.deepEqual(door.events, [
        { kind: "admitted", method: "GET", rule: null, secrets: ["API_KEY"] },
      ]);
      assert.ok(!JSON.stringify([door.events, await door.ended(1)]).includes(VALUE));
    });

    test("goes into Basic credentials as curl and git make them", async (t) => {
      const upstream = await startUpstream(t, { h2: true });
      const door = await openDoor(t, { upstream, secrets });
      await curl(t, door, http, "-u", `user:${HERE.placeholder}`, URL_OF);
      const expected = Buffer.from(`user:${VALUE}`).toString("base64");
      assert.equal(upstream.seen[0]?.headers.authorization, `Basic ${expected}`);
    });

    for (const [name, args] of [
      ["in another field", ["-H", `X-Other: ${HERE.placeholder}`]],
      ["in the query", ["-G", "-d", `key=${HERE.placeholder}`]],
      ["of another authority", ["-H", `Authorization: ${OTHER.placeholder}`]],
      ["of another authority, escaped", ["-G", "--data-urlencode", `k=%${OTHER.placeholder}`]],
      ["of another authority, as Basic", ["-u", `u:${OTHER.placeholder}`]],
    ] as const) {
      test(`is refused ${name}, and the upstream sees nothing`, async (t) => {
        const upstream = await startUpstream(t, { h2: true });
        const door = await openDoor(t, { upstream, secrets });
        const ran = await curl(t, door, http, "-w", "%{http_code}", ...args, URL_OF);
        assert.match(ran.stdout, /^drydock: SECRET_ELSEWHERE: .*\n403$/);
        assert.equal(upstream.seen.length, 0);
        const refused = door.events[0];
        assert.equal(
          refused?.kind === "refused" && refused.finding,
          name.includes("other authority") || name.startsWith("of") ? "OTHER_KEY" : "API_KEY",
        );
      });
    }

    test("of another authority in a body cuts the tunnel; its own passes as it is", async (t) => {
      const bodies: string[] = [];
      const handler: Handler = (request, response) => {
        let body = "";
        request.on("data", (chunk) => {
          body += chunk;
        });
        // Node ends a stream that was reset as well.
        let aborted = false;
        request.on("aborted", () => {
          aborted = true;
        });
        request.on("end", () => {
          if (aborted) return;
          bodies.push(body);
          response.end("read");
        });
        request.on("error", () => undefined);
      };
      const upstream = await startUpstream(t, { h2: true, handler });
      const door = await openDoor(t, { upstream, secrets });
      const own = await curl(t, door, http, "-d", HERE.placeholder, URL_OF);
      assert.equal(own.stdout, "read");
      const other = await curl(t, door, http, "-d", `x=${OTHER.placeholder}`, URL_OF);
      assert.notEqual(other.code, 0);
      assert.deepEqual(bodies, [HERE.placeholder]);
      const outcomes = await door.ended(2);
      assert.equal(outcomes[1]?.reason, "SECRET_ELSEWHERE");
      assert.equal(outcomes[1]?.finding, "OTHER_KEY");
    });
  });

  describe(`a response over ${http.slice(2)} that holds the secret`, () => {
    const answers: Readonly<Record<string, (value: string) => Handler>> = {
      "in its body": (value) => (_request, response) => response.end(`<p>${value}</p>`),
      "in a field": (value) => (_request, response) => {
        response.setHeader("x-echo", `a ${value}`);
        response.end("body");
      },
      "in base64": (value) => (_request, response) =>
        response.end(Buffer.from(`you sent ${value}.`).toString("base64")),
      "in pieces, some time apart": (value) => (_request, response) => {
        const pieces = ["<p>", ...(value.match(/.{1,5}/g) ?? []), "</p>"];
        const next = (): void => {
          const piece = pieces.shift();
          if (piece === undefined) response.end();
          else response.write(piece, "latin1", () => setImmediate(next));
        };
        next();
      },
      "behind a megabyte": (value) => (_request, response) =>
        response.end(Buffer.concat([Buffer.alloc(1 << 20, "."), Buffer.from(value)])),
    };
    for (const [name, answer] of Object.entries(answers)) {
      test(`${name} is cut, and one that holds another value isn't`, async (t) => {
        const upstream = await startUpstream(t, { h2: true, handler: answer(VALUE) });
        const door = await openDoor(t, { upstream, secrets });
        const ran = await curl(t, door, http, "-i", URL_OF);
        assert.notEqual(ran.code, 0);
        for (const form of [
          VALUE,
          VALUE.slice(0, 4),
          Buffer.from(VALUE).toString("base64").slice(0, 8),
        ]) {
          assert.ok(!ran.stdout.includes(form), form);
        }
        const [outcome] = await door.ended(1);
        assert.equal(outcome?.reason, "RESPONSE_HAS_SECRET");
        assert.equal(outcome.finding, "API_KEY");

        const control = await startUpstream(t, {
          h2: true,
          handler: answer("sk-live-4f1eZq9-Vb4"),
        });
        const open = await openDoor(t, { upstream: control, secrets });
        assert.equal((await curl(t, open, http, URL_OF)).code, 0);
        assert.equal((await open.ended(1))[0]?.reason, "CLOSED");
      });
    }

    test("compressed is refused unread, and allowed where no secret is", async (t) => {
      const handler: Handler = (_request, response) => {
        response.setHeader("content-encoding", "gzip");
        response.end(gzipSync(VALUE));
      };
      const upstream = await startUpstream(t, { h2: true, handler });
      const door = await openDoor(t, { upstream, secrets });
      const ran = await curl(t, door, http, "-w", "%{http_code}", URL_OF);
      assert.match(ran.stdout, /^drydock: RESPONSE_ENCODED: .*\n502$/);
      const open = await openDoor(t, { upstream, secrets: [OTHER] });
      assert.equal((await curl(t, open, http, "--compressed", URL_OF)).stdout, VALUE);
    });

    test("bit by bit by ranges isn't given: the field doesn't go on", async (t) => {
      const upstream = await startUpstream(t, { h2: true });
      const door = await openDoor(t, { upstream, secrets });
      await curl(t, door, http, "-r", "0-3", URL_OF);
      assert.equal(upstream.seen[0]?.headers.range, undefined);
      const open = await openDoor(t, { upstream, secrets: [OTHER] });
      await curl(t, open, http, "-r", "0-3", URL_OF);
      assert.equal(upstream.seen[1]?.headers.range, "bytes=0-3");
    });
  });
}

test("a secret in HTTP/2 trailers is cut; others go on, but for what frames or authorises", async (t) => {
  const answer =
    (value: string): Handler =>
    (_request, response) => {
      response.write("body");
      response.addTrailers({ "grpc-status": "0", "x-echo": value, "set-cookie": "a=b" });
      response.end();
    };
  const upstream = await startUpstream(t, { h2: true, handler: answer("nothing secret") });
  const door = await openDoor(t, { upstream, secrets });
  const good = await ask(await openH2(t, door), { ":path": "/", te: "trailers" });
  assert.deepEqual(Object.entries(good.trailers), [
    ["grpc-status", "0"],
    ["x-echo", "nothing secret"],
  ]);
  assert.equal(upstream.seen[0]?.headers["te"], "trailers");

  const bad = await startUpstream(t, { h2: true, handler: answer(VALUE) });
  const watched = await openDoor(t, { upstream: bad, secrets });
  const cut = await ask(await openH2(t, watched), { ":path": "/" });
  assert.deepEqual(Object.entries(cut.trailers), []);
  assert.equal((await watched.ended(1))[0]?.reason, "RESPONSE_HAS_SECRET");
});

test("a canary in a head or a body ends the tunnel; in a response as well", async (t) => {
  const canaries = [{ id: "home.key", value: "AKIAQYLPMN5HHHFPZAM2" }];
  const encoded = Buffer.from("key AKIAQYLPMN5HHHFPZAM2").toString("base64");
  for (const [args, sees] of [
    [["-H", `X-A: ${encoded}`], 0],
    [["-d", `a=b&c=${encoded}`], 1],
    [[`${URL_OF}${encoded}`], 0],
  ] as const) {
    const upstream = await startUpstream(t);
    const door = await openDoor(t, { upstream, canaries });
    await curl(t, door, ...args, ...(args.length === 1 ? [] : [URL_OF]));
    const [outcome] = await door.ended(1);
    assert.equal(outcome?.reason, "CANARY");
    assert.equal(outcome.finding, "home.key");
    assert.ok(upstream.seen.length <= sees);
  }
  const upstream = await startUpstream(t);
  const control = await openDoor(t, { upstream, canaries });
  const clean = await curl(t, control, "-d", "a=b&c=AKIAQYLPMN5HHHFPZAM3", URL_OF);
  assert.equal(clean.stdout, "hello over 1.1\n");
  assert.equal((await control.ended(1))[0]?.reason, "CLOSED");
});

test("raw requests never reach another host by the secret's connection", async (t) => {
  const upstream = await startUpstream(t);
  const door = await openDoor(t, { upstream, secrets });
  const request = (host: string) =>
    `GET / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${HERE.placeholder}\r\nConnection: close\r\n\r\n`;
  assert.match(await exchange(door, request(AUTHORITY.host)), /^HTTP\/1\.1 200 /);
  assert.match(await exchange(door, request("other.example.com")), /^HTTP\/1\.1 421 /);
  assert.equal(upstream.seen.length, 1);
});
