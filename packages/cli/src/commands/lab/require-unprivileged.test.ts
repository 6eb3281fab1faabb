import assert from "node:assert/strict";
import { test } from "node:test";
import { specFromFlags } from "../flags.js";
import { requireUnprivileged } from "./require-unprivileged.js";

const asked = (user?: string) =>
  specFromFlags({ snapshot: true, exit: "command", ...(user === undefined ? {} : { user }) }, [
    "id",
  ]);

test("root and its group run beside no stand-in, however they are named", () => {
  for (const user of ["root", "0", "0:0", "0:1000", "1000:0"]) {
    assert.throws(() => requireUnprivileged(asked(user)), { code: "USAGE" }, user);
  }
  for (const user of [undefined, "1", "1000", "65534:65534"]) requireUnprivileged(asked(user));
});
