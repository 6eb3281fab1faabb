import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendOutcome } from "../client/index.js";
import { judgeSend } from "./judge-send.js";

const answered = (status: number) => judgeSend({ kind: "answered", status, body: null });

test("every status: 2xx is looked at, 4xx is without effect, and all else is open", () => {
  for (let status = -1; status <= 1_000; status += 1) {
    const { kind } = answered(status);
    const expected =
      status >= 200 && status <= 299
        ? "look"
        : status >= 400 && status <= 499
          ? "no-effect"
          : "unknown";
    assert.equal(kind, expected, String(status));
  }
  for (const status of [200.5, Number.NaN, Number.POSITIVE_INFINITY, "200" as unknown as number]) {
    assert.equal(answered(status).kind, "unknown");
  }
});

test("only what provably never left is without effect", () => {
  for (const reason of ["CONNECT_FAILED", "NOT_ALLOW_LISTED"] as const) {
    const judged = judgeSend({ kind: "not-sent", reason });
    assert.equal(judged.kind, "no-effect");
    assert.equal(judged.delivery, "proven-not");
  }
  for (const reason of ["RESET", "TIMEOUT", "TRUNCATED", "PROTOCOL", "TLS", "UNKNOWN"] as const) {
    const judged = judgeSend({ kind: "ambiguous", reason });
    assert.equal(judged.kind, "unknown");
    assert.equal(judged.delivery, "possible");
  }
});

test("an outcome that isn't one of the port's leaves it open, and its words stay out", () => {
  for (const outcome of [
    { kind: "not-sent", reason: "RESET" },
    { kind: "not-sent", reason: "192.0.2.1 refused" },
    { kind: "ambiguous", reason: "192.0.2.1 reset" },
    { kind: "sent" },
    { kind: "answered" },
    {},
    undefined,
    null,
  ]) {
    const judged = judgeSend(outcome as unknown as SendOutcome);
    assert.equal(judged.kind, "unknown");
    assert.doesNotMatch(JSON.stringify(judged), /192/);
  }
});
