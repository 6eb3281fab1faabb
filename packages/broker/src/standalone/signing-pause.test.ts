import assert from "node:assert/strict";
import { test } from "node:test";
import { signingPauseMs } from "./signing-pause.js";

/** Seconds that a log of so many signatures has lasted when it is asked every second. */
const lasted = (signatures: number): number => {
  let seconds = 0;
  for (let made = 0; made < signatures; made += 1) {
    seconds += Math.max(1, (signingPauseMs(made) ?? Number.NaN) / 1_000);
  }
  return seconds;
};

test("signatures of a log that never rests last for weeks, and leave one for its end", () => {
  assert.equal(signingPauseMs(0), 0);
  assert.equal(lasted(10_000), 10_000);
  assert.equal(signingPauseMs(10_000), 2_000);
  assert.equal(signingPauseMs(19_998), 1_024_000);
  assert.equal(signingPauseMs(19_999), null);
  const days = lasted(19_999) / 86_400;
  assert.ok(days > 21 && days < 28, `${days} days`);
});
