import assert from "node:assert/strict";
import { test } from "node:test";
import { formatListen, parseListen } from "./parse-listen.js";

test("a broker listens on an address and a port, in their one spelling", () => {
  for (const text of ["127.0.0.1:3128", "0.0.0.0:0", "[::1]:65535", "[2001:db8::1]:80"]) {
    assert.equal(formatListen(parseListen(text)), text);
  }
  for (const text of [
    "3128",
    ":3128",
    "localhost:3128",
    "127.1:3128",
    "127.0.0.1",
    "127.0.0.1:03128",
    "127.0.0.1:65536",
    "::1:3128",
    "[127.0.0.1]:3128",
    "[::1%lo]:3128",
    "[::1]3128",
    "127.0.0.1:3128 ",
  ]) {
    assert.throws(() => parseListen(text), { code: "LISTEN_INVALID" }, text);
  }
});
