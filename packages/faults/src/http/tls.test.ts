import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Fault } from "../arming/model.js";
import { ask } from "../testing/ask.js";
import { type Issued, issueCertificate } from "../testing/certificates.js";
import { ALIAS, startTestProxy } from "../testing/proxy.js";
import { startUpstream } from "../testing/upstream.js";

const NAME = "alias.lab.invalid";

describe("over TLS", () => {
  const directories: string[] = [];
  const issue = (...names: readonly string[]): Issued => {
    const directory = mkdtempSync(join(tmpdir(), "drydock-test-"));
    directories.push(directory);
    return issueCertificate(directory, names);
  };
  let front: Issued;
  let back: Issued;
  before(() => {
    front = issue(`DNS:${NAME}`);
    back = issue(`DNS:${NAME}`);
  });
  after(() => {
    for (const directory of directories) rmSync(directory, { recursive: true });
  });

  const lab = async (
    t: Parameters<typeof startUpstream>[0],
    trust: { readonly ca: string; readonly serverName: string | null },
    certificate: Issued = back,
  ) => {
    const upstream = await startUpstream(t, { tls: certificate });
    const proxy = await startTestProxy(t, upstream.port, {
      tls: { certificate: front.certificate, key: front.key },
      upstream: { host: "127.0.0.1", port: upstream.port, tls: trust },
    });
    const patch = (giveUpOn?: Promise<unknown>) =>
      ask(proxy.port, "PATCH", ALIAS, {
        ...{ body: '{"descr":"x"}', ca: front.ca },
        ...(giveUpOn === undefined ? {} : { giveUpOn }),
      });
    return { upstream, proxy, patch };
  };

  it("faults are what they are in the clear", async (t) => {
    const { upstream, proxy, patch } = await lab(t, { ca: back.ca, serverName: NAME });
    const faults: readonly (readonly [Fault, string, number])[] = [
      [{ kind: "pass" }, "answered", 1],
      [{ kind: "reset-before" }, "ECONNRESET", 0],
      [{ kind: "reset-upload", afterBytes: 20 }, "ECONNRESET", 0],
      [{ kind: "drop-response" }, "ECONNRESET", 1],
      [{ kind: "truncate-response", afterBytes: 3 }, "cut", 1],
      [{ kind: "timeout", direction: "request" }, "GAVE_UP", 0],
      [{ kind: "timeout", direction: "response" }, "GAVE_UP", 1],
      [{ kind: "duplicate" }, "answered", 2],
    ];
    for (const [fault, seen, commits] of faults) {
      const before = upstream.committed.length;
      proxy.arm("mutation", fault);
      // Once it is as far as it gets: nothing arrives, or all of it.
      const last = (await proxy.settled()).length + 1;
      const there = proxy
        .until(({ seq }) => seq === last)
        .then(() => upstream.arrived(before + commits));
      const answer = await patch(seen === "GAVE_UP" ? there : undefined);
      const what = answer.kind === "failed" ? answer.code : answer.whole ? "answered" : "cut";
      assert.deepEqual([what, upstream.committed.length - before], [seen, commits], fault.kind);
      assert.equal((await patch()).kind, "answered");
    }
    assert((await proxy.settled()).every(({ outcome }) => outcome !== "open"));
  });

  it("an upstream that another authority vouches for gets no byte of a request", async (t) => {
    const { upstream, proxy, patch } = await lab(t, { ca: front.ca, serverName: NAME });
    assert.deepEqual(await patch(), { kind: "failed", code: "ECONNRESET" });
    assert.equal(upstream.heads(), 0);
    const [record] = await proxy.settled();
    assert.deepEqual([record?.outcome, record?.delivered], ["upstream-unreachable", "proven-not"]);
    proxy.arm("mutation", { kind: "reset-upload", afterBytes: 20 });
    assert.deepEqual(await patch(), { kind: "failed", code: "ECONNRESET" });
    assert.equal(upstream.heads(), 0);
  });

  it("nor does one of another name, and without a name the address counts", async (t) => {
    const other = await lab(t, { ca: back.ca, serverName: "other.lab.invalid" });
    assert.equal((await other.patch()).kind, "failed");
    const unnamed = await lab(t, { ca: back.ca, serverName: null });
    assert.equal((await unnamed.patch()).kind, "failed");
    assert.equal(other.upstream.heads() + unnamed.upstream.heads(), 0);
    const byAddress = issue("IP:127.0.0.1");
    const addressed = await lab(t, { ca: byAddress.ca, serverName: null }, byAddress);
    assert.equal((await addressed.patch()).kind, "answered");
  });

  it("nor when the environment says that nothing is to be verified", async (t) => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    t.after(() => {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    });
    const { upstream, patch } = await lab(t, { ca: front.ca, serverName: NAME });
    assert.equal((await patch()).kind, "failed");
    assert.equal(upstream.heads(), 0);
  });

  it("a client that doesn't trust the proxy's certificate gets no further", async (t) => {
    const { proxy } = await lab(t, { ca: back.ca, serverName: NAME });
    const answer = await ask(proxy.port, "PATCH", ALIAS, { body: "{}", ca: back.ca });
    assert.equal(answer.kind, "failed");
    assert.deepEqual(await proxy.settled(), []);
  });
});
