import assert from "node:assert/strict";
import { test } from "node:test";
import { checkGuestPath, checkTerminal } from "./requests.js";

test("a terminal has at least one row and one column", () => {
  for (const size of [0, -1, 1.5, 65_536, Number.NaN]) {
    assert.throws(() => checkTerminal({ rows: size, cols: 80 }), { code: "TERMINAL_SIZE" });
    assert.throws(() => checkTerminal({ rows: 24, cols: size }), { code: "TERMINAL_SIZE" });
  }
  for (const size of [1, 80, 65_535])
    assert.doesNotThrow(() => checkTerminal({ rows: size, cols: size }));
});

test("a file of the guest has an absolute path that goes nowhere but down", () => {
  for (const path of ["", "a", "/", "/work/", "/work/../etc/x", "/a\0b", `/${"x".repeat(4_096)}`])
    assert.throws(() => checkGuestPath(path), { code: "GUEST_PATH" }, path);
  for (const path of ["/a", "/work/..a", "/work/a b", `/${"x".repeat(4_094)}`])
    assert.doesNotThrow(() => checkGuestPath(path));
});
