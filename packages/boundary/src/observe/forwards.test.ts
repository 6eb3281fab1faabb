import assert from "node:assert/strict";
import { test } from "node:test";
import { guestIn } from "./forwards.js";

const ARGV = [
  "/usr/sbin/docker-proxy",
  ...["-proto", "tcp", "-host-ip", "127.0.0.1", "-host-port", "3000"],
  ...["-container-ip", "10.99.1.10", "-container-port", "8080"],
];

test("where a proxy leads is what it was started with", () => {
  assert.deepEqual(guestIn(ARGV), { address: "10.99.1.10", port: 8080 });
});

test("arguments that name no container's end lead nowhere", () => {
  const without = (name: string) => ARGV.filter((argument) => argument !== name);
  assert.equal(guestIn(without("-container-ip")), null);
  assert.equal(guestIn(without("-container-port")), null);
  assert.equal(guestIn(ARGV.slice(0, -1)), null);
  assert.equal(guestIn(ARGV.with(-1, "0")), null);
  assert.equal(guestIn(ARGV.with(-3, "a name")), null);
  assert.equal(guestIn([]), null);
});
