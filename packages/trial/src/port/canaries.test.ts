import assert from "node:assert/strict";
import { test } from "node:test";
import { type GuestScript, honest } from "../testing/fake-guest.js";
import { BULK, CONTROL, driven, run, testSession } from "../testing/session.js";
import { untilTrue } from "../testing/until.js";

const VALUE = "Zq3mX8vT1kPw7LbN5cRd";
const canaries = [{ id: "BACKUP_KEY", value: VALUE }];
const WITHIN_MS = 5_000;

/** Says `text` on the stdout of whatever is run. */
const saying =
  (text: string): GuestScript =>
  (message, seq, guest) =>
    honest(message.type === "exec" ? { ...message, argv: [text] } : message, seq, guest);

const sightings = (session: ReturnType<typeof testSession>): readonly unknown[] =>
  session.recordsOf("canary.sighted").map(({ measurements }) => measurements);

const seen = (channel: string, place: string, encoding: string) => ({
  ...{ channel, place, canary: "BACKUP_KEY", encoding },
  layer: "none",
});

test("a planted value is seen in output, in base64 too, and beyond what is kept of it", async (t) => {
  for (const [text, encoding] of [
    [VALUE, "plain"],
    [Buffer.from(VALUE).toString("base64"), "base64"],
  ] as const) {
    const session = testSession(t, { canaries, script: saying(text), outputBytes: 3 });
    await driven(session);
    await run(session);
    assert.deepEqual(sightings(session), [seen(BULK, "stdout", encoding)]);
  }
});

test("another value isn't, and without any planted nothing is looked for", async (t) => {
  for (const options of [{ canaries, script: saying(VALUE.slice(1)) }, { script: saying(VALUE) }]) {
    const session = testSession(t, options);
    await driven(session);
    await run(session);
    assert.deepEqual(sightings(session), []);
  }
});

test("one is seen in the agent's frames, and on the console, however it is cut", async (t) => {
  const session = testSession(t, {
    canaries,
    script: (message, seq, guest) =>
      message.type === "exec"
        ? guest.tell({ type: "error", ref: seq, code: "spawn-failed", message: VALUE })
        : honest(message, seq, guest),
  });
  await driven(session);
  await assert.rejects(run(session), { code: "AGENT_SPAWN_FAILED" });
  assert.deepEqual(sightings(session), [seen(CONTROL, "frames", "plain")]);
  for (const character of VALUE) session.fake.console.write(character);
  await untilTrue(() => sightings(session).length === 2, WITHIN_MS, "the console's");
  assert.deepEqual(sightings(session)[1], seen("console", "console", "plain"));
});
