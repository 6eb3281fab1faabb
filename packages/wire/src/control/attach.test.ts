import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_UNSENT_BYTES } from "../limits.js";
import { guestSaid } from "../session/guest-said.js";
import { type HostSession, hostSent, NEW_HOST_SESSION } from "../session/host.js";
import { mutate, mutation } from "../testing/bytes.js";
import { pipePair } from "../testing/pipe.js";
import {
  BEFORE,
  BINDING,
  DEADLINE,
  encodeGuest,
  GUEST_SESSION,
  HOST_SESSION,
} from "../testing/session.js";
import type { CloseReason } from "../violation.js";
import { attachGuestControl, attachHostControl } from "./attach.js";
import type { GuestMessage } from "./guest-messages.js";

/** A host that has asked everything of HOST_SESSION; the test plays the guest byte by byte. */
const askingHost = () => {
  const [pipe, guestPipe] = pipePair();
  guestPipe.resume();
  const heard: GuestMessage[] = [];
  let session: HostSession = NEW_HOST_SESSION;
  let close: (reason: CloseReason) => void = () => undefined;
  const closed = new Promise<CloseReason>((resolve) => {
    close = resolve;
  });
  const channel = attachHostControl(pipe, BINDING, {
    onFrame: ({ message }) => {
      session = guestSaid(session, message);
      heard.push(message);
    },
    onClose: (reason) => close(reason),
    nowNs: () => BEFORE,
  });
  for (const message of HOST_SESSION) {
    session = hostSent(session, message, channel.send(message, DEADLINE));
  }
  return { channel, guestPipe, heard, closed };
};

describe("a control channel", () => {
  it("carries a session and ends cleanly", async () => {
    const { channel, guestPipe, heard, closed } = askingHost();
    const bytes = Buffer.concat(encodeGuest(GUEST_SESSION));
    guestPipe.end(bytes);
    assert.deepEqual(await closed, { kind: "end" });
    assert.deepEqual(heard, GUEST_SESSION);
    assert.equal(channel.counters.bytesIn, bytes.length);
  });

  it("is closed by an answer to nothing, whatever came before", async () => {
    const { guestPipe, closed } = askingHost();
    guestPipe.write(Buffer.concat(encodeGuest([...GUEST_SESSION, { type: "pong", nonce: "p9" }])));
    const reason = await closed;
    assert.equal(reason.kind === "violation" && reason.violation.code, "unexpected-message");
  });

  it("ends each fuzzed session cleanly or with a violation", async () => {
    const bytes = Buffer.concat(encodeGuest(GUEST_SESSION));
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { maxLength: 3 }), async (changes) => {
        const { guestPipe, heard, closed } = askingHost();
        guestPipe.end(Buffer.from(changes.reduce<Uint8Array>(mutate, bytes)));
        const reason = await closed;
        assert.ok(reason.kind === "end" || reason.kind === "violation");
        assert.deepEqual(heard, GUEST_SESSION.slice(0, heard.length));
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("is closed when the guest doesn't read what the host sends", async () => {
    const [pipe] = pipePair();
    const reasons: CloseReason[] = [];
    const channel = attachHostControl(pipe, BINDING, {
      onFrame: () => undefined,
      onClose: (reason) => reasons.push(reason),
      nowNs: () => BEFORE,
    });
    const payload = Buffer.alloc(65536);
    for (let sent = 0; sent < 2 * MAX_UNSENT_BYTES; sent += payload.length) {
      channel.send({ type: "ping", nonce: "p" }, DEADLINE, payload);
    }
    const [reason] = reasons;
    assert.equal(reason?.kind === "violation" && reason.violation.code, "not-reading");
    assert.equal(reasons.length, 1);
  });

  it("lets a guest say nothing before it knows whose it is", () => {
    const [, pipe] = pipePair();
    const channel = attachGuestControl(pipe, {
      onFrame: () => undefined,
      onClose: () => undefined,
      nowNs: () => null,
    });
    assert.throws(() => channel.send({ type: "pong", nonce: "p" }, DEADLINE), {
      code: "unexpected-message",
    });
  });
});
