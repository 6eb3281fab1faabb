import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { GuestMessage } from "../control/guest-messages.js";
import { GUEST_SESSION, HOST_SESSION } from "../testing/session.js";
import { guestSaid } from "./guest-said.js";
import { type HostSession, hostSent, NEW_HOST_SESSION } from "./host.js";

const asked: HostSession = HOST_SESSION.reduce(
  (session, message, seq) => hostSent(session, message, seq),
  NEW_HOST_SESSION,
);
const hear = (session: HostSession, ...said: readonly GuestMessage[]): HostSession =>
  said.reduce(guestSaid, session);
const refused = { code: "unexpected-message" };
const [ready, , putDone, started, , exit] = GUEST_SESSION as [
  GuestMessage,
  GuestMessage,
  GuestMessage,
  GuestMessage,
  GuestMessage,
  GuestMessage,
];

describe("a host's session", () => {
  it("accepts the answers to what it asked", () => {
    const end = hear(asked, ...GUEST_SESSION);
    assert.equal(end.phase, "ready");
    assert.deepEqual(
      [...end.requests.values()].map((request) => request.kind),
      ["silent", "silent"],
    );
  });

  it("refuses each answer the second time", () => {
    for (let upTo = 1; upTo <= GUEST_SESSION.length; upTo += 1) {
      const heard = hear(asked, ...GUEST_SESSION.slice(0, upTo));
      const last = GUEST_SESSION[upTo - 1];
      assert.ok(last !== undefined);
      assert.throws(() => guestSaid(heard, last), refused, last.type);
    }
  });

  it("refuses everything before ready, and ready with another nonce", () => {
    for (const message of GUEST_SESSION.slice(1).filter(({ type }) => type !== "error")) {
      assert.throws(() => guestSaid(asked, message), refused, message.type);
    }
    assert.ok(ready.type === "ready");
    assert.throws(() => guestSaid(asked, { ...ready, nonce: "nonce-2" }), refused);
    assert.throws(() => guestSaid(NEW_HOST_SESSION, ready), refused);
  });

  it("refuses answers about what was never asked", () => {
    const session = hear(asked, ready);
    for (const message of [
      { type: "pong", nonce: "p2" },
      { type: "putDone", stream: 9, files: 0, bytes: 0 },
      { type: "execStarted", exec: "e2", pid: 1 },
      { type: "execExit", exec: "e2", status: { kind: "exit", code: 0 } },
      { type: "error", ref: 99, code: "too-many", message: "" },
    ] as const) {
      assert.throws(() => guestSaid(session, message), refused, message.type);
    }
  });

  it("refuses an exit before the start", () => {
    assert.throws(() => hear(asked, ready, exit), refused);
    assert.doesNotThrow(() => hear(asked, ready, started, exit));
  });

  it("lets an error end a request, once", () => {
    const failed = { type: "error", ref: 2, code: "put-failed", message: "" } as const;
    const session = hear(asked, ready, failed);
    assert.throws(() => guestSaid(session, putDone), refused);
    assert.throws(() => guestSaid(session, failed), refused);
    assert.doesNotThrow(() => guestSaid(session, { ...failed, ref: null }));
  });

  it("refuses what the host itself may not send", () => {
    const hello = HOST_SESSION[0];
    const exec = HOST_SESSION[3];
    assert.ok(hello !== undefined && exec !== undefined);
    assert.throws(() => hostSent(asked, hello, 20), refused);
    assert.throws(() => hostSent(NEW_HOST_SESSION, exec, 0), refused);
    assert.throws(() => hostSent(asked, exec, 20), refused);
  });

  it("stays as small as what the host has asked, whatever the guest says", () => {
    let session = hear(asked, ready);
    for (let seq = 100; seq < 1100; seq += 1) {
      session = hostSent(
        session,
        { type: "signal", exec: "e1", signal: "SIGTERM", target: "group" },
        seq,
      );
    }
    assert.ok(session.requests.size < 80);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...GUEST_SESSION), { maxLength: 50 }), (said) => {
        let heard = asked;
        for (const message of said) {
          try {
            heard = guestSaid(heard, message);
          } catch (error) {
            assert.equal((error as { code?: string }).code, "unexpected-message");
          }
          assert.ok(heard.requests.size <= asked.requests.size);
        }
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
