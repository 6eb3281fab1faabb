import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { createInspections, createSecret, DEFAULT_SECRET_HEADERS } from "../secret/index.js";
import type { BrokerOptions, Dial } from "../service/index.js";
import { grantFor, startBrokerLab } from "../testing/broker-lab.js";
import { createTerminator, isTerminated } from "./index.js";
import { run } from "./testing/clients.js";
import { AUTHORITY, caFor, startUpstream, TIMERS, type Upstream } from "./testing/lab.js";

const VALUE = "sk-live-4f1eZq9-Vb3";

const SECRET = createSecret({
  name: "API_KEY",
  authority: AUTHORITY,
  headers: DEFAULT_SECRET_HEADERS,
  value: VALUE,
  random: randomBytes,
});

/** The broker's whole service, with termination as a run wires it; only the dialled address is local. */
const startService = async (
  t: TestContext,
  upstream: Upstream,
  bounds: Pick<BrokerOptions, "maxDecisions"> = {},
) => {
  const ca = await caFor(AUTHORITY.host);
  const inspections = createInspections([SECRET], []);
  const dial: Dial = async () => {
    const socket = connect({ port: upstream.port, host: "127.0.0.1", allowHalfOpen: true });
    await once(socket, "connect");
    return { kind: "connected", socket };
  };
  const lab = await startBrokerLab(t, {
    grants: [
      grantFor(AUTHORITY.host, 443, { requests: [{ methods: ["GET"], path: "/v1/" }] }),
      grantFor("plain.example.com", 443),
    ],
    names: { [AUTHORITY.host]: ["93.184.216.34"], "plain.example.com": ["93.184.216.34"] },
    broker: {
      ...bounds,
      dial,
      terminates: (grant) => isTerminated(grant, inspections),
      terminate: createTerminator({
        ca,
        inspections,
        upstreamRoots: [upstream.ca.caCertificatePem],
        limits: { maxHeaderBytes: 16_384, headerTimeoutMs: 5_000, handshakeTimeoutMs: 5_000 },
        timers: TIMERS,
      }),
    },
  });
  const curl = (...args: readonly string[]) =>
    run(t, { ca }, "curl", ["-sS", "-m", "30", "-x", `http://127.0.0.1:${lab.port}`, ...args]);
  return { lab, curl };
};

test("through the broker's service: rules, secrets, receipts, and a grant without termination", async (t) => {
  const upstream = await startUpstream(t, {
    h2: true,
    handler: (request, response) =>
      response.end(request.url === "/v1/echo" ? request.headers.authorization : "fine"),
  });
  const { lab, curl } = await startService(t, upstream);
  const authorization = `Authorization: Bearer ${SECRET.placeholder}`;
  const url = `https://${AUTHORITY.host}`;

  assert.equal((await curl("-H", authorization, `${url}/v1/a`)).stdout, "fine");
  assert.equal(upstream.seen[0]?.headers.authorization, `Bearer ${VALUE}`);

  const refused = await curl("-w", "%{http_code}", "-H", authorization, `${url}/v2/a`);
  assert.match(refused.stdout, /RULE_NOT_GRANTED[\s\S]*403$/);
  assert.equal(upstream.seen.length, 1);

  const echoed = await curl("-H", authorization, `${url}/v1/echo`);
  assert.ok(!echoed.stdout.includes("sk-live"));
  await lab.receipt(
    (receipt) => receipt.kind === "closed" && receipt.reason === "RESPONSE_HAS_SECRET",
  );

  // Not terminated: the upstream's own certificate is what the client sees, and refuses.
  assert.equal((await curl("https://plain.example.com/")).code, 60);

  const written = JSON.stringify(lab.receipts);
  assert.ok(!written.includes(VALUE) && !written.includes(SECRET.placeholder));
  assert.deepEqual(
    lab.receipts.flatMap((receipt) =>
      receipt.kind === "request" ? [[receipt.reason, receipt.rule, receipt.secrets]] : [],
    ),
    [
      ["GRANTED", 0, ["API_KEY"]],
      ["RULE_NOT_GRANTED", null, []],
      ["GRANTED", 0, ["API_KEY"]],
    ],
  );
});

for (const http of ["--http1.1", "--http2"] as const) {
  test(`a request that has no receipt isn't sent, over ${http.slice(2)}`, async (t) => {
    const authorization = `Authorization: Bearer ${SECRET.placeholder}`;
    const ask = async (maxDecisions: number) => {
      const upstream = await startUpstream(t, { h2: true });
      const { lab, curl } = await startService(t, upstream, { maxDecisions });
      const url = `https://${AUTHORITY.host}/v1/a`;
      const { code } = await curl(http, "-H", authorization, url);
      await lab.broker.close();
      const reasons = lab.receipts.flatMap((one) => ("reason" in one ? [one.reason] : []));
      return { code, seen: upstream.seen.length, reasons };
    };
    // The CONNECT, and the request inside of it.
    const within = await ask(2);
    assert.deepEqual([within.code, within.seen], [0, 1]);
    const beyond = await ask(1);
    assert.notEqual(beyond.code, 0);
    assert.equal(beyond.seen, 0);
    assert.deepEqual(beyond.reasons, ["GRANTED", "DECISIONS", "REVOKED"]);
  });
}
