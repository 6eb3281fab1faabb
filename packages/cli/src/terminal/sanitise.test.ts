import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { createSanitiser, type SanitiseMode, visible } from "./sanitise.js";

const clean = (text: string, mode: SanitiseMode): string =>
  Buffer.from(createSanitiser(mode)(Buffer.from(text))).toString("utf8");

test("ordinary text, line breaks and letters beyond ASCII pass unchanged", () => {
  for (const mode of ["plain", "interactive"] as const)
    assert.equal(clean("naïve £5 → 日本\tok\r\n", mode), "naïve £5 → 日本\tok\r\n");
});

test("a clipboard write never reaches a terminal, the same letters without the escape do", () => {
  for (const mode of ["plain", "interactive"] as const) {
    assert.equal(clean("a\u001b]52;c;ZXZpbA==\u0007b", mode), "ab");
    assert.equal(clean("a\u001b]52;c;ZXZpbA==\u001b\\b", mode), "ab");
    assert.equal(clean("a]52;c;ZXZpbA==b", mode), "a]52;c;ZXZpbA==b");
  }
});

test("colours pass in a shell and are dropped elsewhere", () => {
  assert.equal(clean("\u001b[31mred\u001b[0m", "interactive"), "\u001b[31mred\u001b[0m");
  assert.equal(clean("\u001b[31mred\u001b[0m", "plain"), "red");
});

test("a sequence that makes the terminal answer is dropped in a shell too", () => {
  for (const query of ["\u001b[6n", "\u001b[c", "\u001b[>c", "\u001b[21t", "\u001bZ"])
    assert.equal(clean(`a${query}b`, "interactive"), "ab");
});

test("eight-bit controls are replaced", () => {
  assert.equal(clean("a\u009b31mb", "plain"), "a?31mb");
});

test("however the bytes are cut, the result is the same and holds no escape in plain mode", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("\u001b[31m", "\u001b]0;t\u0007", "\u001bPq\u001b\\", "\u009d", "\u001b"),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 7 }), (pieces, size) => {
      const bytes = Buffer.from(pieces.join(""));
      const whole = Buffer.from(createSanitiser("plain")(bytes));
      const filter = createSanitiser("plain");
      const cut: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size)
        cut.push(filter(bytes.subarray(at, at + size)));
      assert.deepEqual(Buffer.concat(cut), whole);
      assert.equal(whole.includes(0x1b), false);
    }),
    { seed: profile.seed, numRuns: profile.fuzz },
  );
});

test("a message shows control and direction-changing characters instead of obeying them", () => {
  assert.equal(visible("a\u001b[2Jb\u202ec\n"), "a\\u001b[2Jb\\u202ec\\u000a");
  assert.equal(visible("x".repeat(500)).length, 401);
});
