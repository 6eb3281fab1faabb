import assert from "node:assert/strict";
import { test } from "node:test";
import { requireLoopback } from "./bound.js";

test("each end is on loopback or asked for, and one doesn't ask for the other", () => {
  const ends = ["127.0.0.1", "192.0.2.1"];
  for (const listen of ends)
    for (const upstream of ends)
      for (const asked of [
        { listen: false, upstream: false },
        { listen: true, upstream: false },
        { listen: false, upstream: true },
        { listen: true, upstream: true },
      ]) {
        const start = (): void =>
          requireLoopback({
            listen: { host: listen, port: 0 },
            upstream: { host: upstream, port: 1, tls: null },
            beyondLoopback: asked,
          });
        const listens = asked.listen || listen === "127.0.0.1";
        const reaches = asked.upstream || upstream === "127.0.0.1";
        if (listens && reaches) start();
        else
          assert.throws(start, { code: listens ? "UPSTREAM_NOT_LOOPBACK" : "LISTEN_NOT_LOOPBACK" });
      }
});
