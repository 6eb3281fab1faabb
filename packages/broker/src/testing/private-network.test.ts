import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { enterPrivateNetwork } from "./private-network.js";

const PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"] as const;
const SILENT = "93.184.216.99";

enterPrivateNetwork(import.meta.url, { addresses: PUBLIC, silent: [SILENT] });

test("public addresses lead here, and nothing else leads anywhere", async (t) => {
  assert.deepEqual(Object.keys(networkInterfaces()), ["lo"]);
  for (const host of PUBLIC) {
    const server = createServer((socket) => socket.end("here")).listen(443, host);
    t.after(() => server.close());
    await once(server, "listening");
    const [said] = await once(connect(443, host), "data");
    assert.equal(String(said), "here");
  }
  await assert.rejects(once(connect(443, "8.8.8.8"), "connect"), { code: "ENETUNREACH" });
});

test("a silent address neither answers nor refuses", async (t) => {
  const server = createServer().listen(443, SILENT);
  t.after(() => server.close());
  await once(server, "listening");
  const socket = connect(443, SILENT);
  t.after(() => socket.destroy());
  const signal = AbortSignal.timeout(300);
  await assert.rejects(once(socket, "connect", { signal }), { name: "AbortError" });
});
