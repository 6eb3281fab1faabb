import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopback } from "./loopback.js";

test("loopback is 127.0.0.0/8 and ::1 in every spelling, and nothing beside them", () => {
  for (const address of ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "0000::0001"])
    assert.equal(isLoopback(address), true, address);
  for (const address of [
    ...["126.255.255.255", "128.0.0.0", "0.0.0.0", "::", "::2", "::1:1", "1::1", "fe80::1", "::11"],
    ...["::ffff:127.0.0.1", "localhost", "", "127.1", "192.0.2.1", "1::", "2001:db8::1"],
  ])
    assert.equal(isLoopback(address), false, address);
});
