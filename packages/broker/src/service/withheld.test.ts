import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Reason } from "../decision/index.js";
import { openTunnel, startRecorder } from "../testing/broker-lab.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { API, allOf, echo, HERE, lab, NETWORK } from "./testing/names.js";

enterPrivateNetwork(import.meta.url, NETWORK);

describe("what the policy grants", () => {
  it("is withheld, unasked and undialled, as long as something outside of it says so", async (t) => {
    let reason: Reason | null = "READBACK_STALE";
    const { port, dns, receipts } = await lab(t, { broker: { withheld: () => reason } });
    const upstream = await startRecorder(t, HERE, 9000, echo);
    for (const authority of [`${API}:9000`, "other.example.com:9000"]) {
      const { answer } = await openTunnel(t, port, authority);
      assert.deepEqual([answer.status, answer.reason], [403, "READBACK_STALE"], authority);
    }
    assert.deepEqual([dns.queries.length, upstream.connections], [0, 0]);
    reason = null;
    const { answer, socket } = await openTunnel(t, port, `${API}:9000`);
    assert.equal(answer.status, 200);
    socket.end("echo");
    assert.equal(await allOf(socket), "echo");
    assert.deepEqual(
      receipts.flatMap((one) => (one.kind === "decision" ? [one.reason] : [])),
      ["READBACK_STALE", "READBACK_STALE", "GRANTED"],
    );
  });

  it("is withheld when that ends while a name is looked up", async (t) => {
    const answers: (Reason | null)[] = [null, "READBACK_FAILED"];
    const withheld = () => answers.shift() ?? null;
    const { port, dns } = await lab(t, { broker: { withheld } });
    const upstream = await startRecorder(t, HERE, 9000, echo);
    const { answer } = await openTunnel(t, port, `${API}:9000`);
    assert.deepEqual([answer.status, answer.reason], [403, "READBACK_FAILED"]);
    assert.ok(dns.queries.length > 0);
    assert.equal(upstream.connections, 0);
    assert.equal((await openTunnel(t, port, `${API}:9000`)).answer.status, 200);
  });
});
