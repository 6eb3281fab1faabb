import assert from "node:assert/strict";
import { lstatSync, openSync, writeSync } from "node:fs";
import { test } from "node:test";
import { isDrydockError } from "./errors.js";
import { withSystemErrors } from "./system-error.js";

const thrownBy = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
};

test("what the system refuses is one line with a fix", () => {
  const long = withSystemErrors(thrownBy(() => lstatSync(`/${"x".repeat(300)}`)));
  assert.ok(isDrydockError(long));
  assert.equal(long.code, "ENAMETOOLONG");
  const full = withSystemErrors(thrownBy(() => writeSync(openSync("/dev/full", "w"), "x")));
  assert.ok(isDrydockError(full));
  assert.equal(full.code, "ENOSPC");
  assert.match(full.fix ?? "", /Free disk space/);
});

test("a defect stays one", () => {
  for (const error of [
    new TypeError("x is undefined"),
    Object.assign(new Error("no"), { code: "ENOSPC" }),
    thrownBy(() => lstatSync("/nonexistent/file")),
    "text",
  ])
    assert.equal(withSystemErrors(error), error);
});
