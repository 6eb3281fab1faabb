import assert from "node:assert/strict";
import { test } from "node:test";
import { fromServer } from "./from-server.js";

test("a datagram is the server's only from its address and its port", () => {
  const server = { address: "192.0.2.53", port: 53, family: 4 } as const;
  assert.equal(fromServer({ address: "192.0.2.53", port: 53 }, server), true);
  assert.equal(fromServer({ address: "192.0.2.54", port: 53 }, server), false);
  assert.equal(fromServer({ address: "192.0.2.53", port: 54 }, server), false);
});
