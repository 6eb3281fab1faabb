import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { compileCanaries, freshCanaries } from "./index.js";

test("fresh canaries differ, can be watched for, and look like keys", () => {
  const made = freshCanaries(["home.aws", "env.token"], randomBytes);
  assert.deepEqual(
    made.map(({ id }) => id),
    ["home.aws", "env.token"],
  );
  for (const { value } of made) assert.match(value, /^[A-Za-z0-9]{40}$/);
  assert.notEqual(made[0]?.value, made[1]?.value);
  assert.doesNotThrow(() => compileCanaries(made));
});

test("no character is favoured: bytes beyond the last multiple of 62 are dropped", () => {
  const [canary] = freshCanaries(["x"], (length) =>
    Uint8Array.from({ length }, (_, index) => (index % 2 === 0 ? 255 : 61)),
  );
  assert.equal(canary?.value, "9".repeat(40));
});
