import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GuestScript, honest } from "../testing/fake-guest.js";
import { BULK, CONTROL, connected, driven, run, testSession } from "../testing/session.js";

/** An honest guest but for one message. */
const except =
  (type: string, instead: GuestScript): GuestScript =>
  (message, seq, guest) =>
    (message.type === type ? instead : honest)(message, seq, guest);

/** Each piece in a pipe takes a turn of the loop; a busy machine has time for few in any span of time. */
const TURNS = 200;

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn += 1)
    await new Promise<void>((resolve) => setImmediate(resolve));
};

describe("a session with an honest guest", () => {
  test("runs a command, carries its output and records what the guest says", async (t) => {
    const session = testSession(t);
    await driven(session);
    assert.deepEqual(await run(session), { exit: { kind: "code", code: 7 }, stdout: "echo hi\n" });
    assert.deepEqual(session.told, []);
    for (const type of ["guest.bounds", "channel.open", "exec.started", "exec.exit"])
      assert.ok(session.records().includes(type), type);
  });

  test("its log is closed with the bytes of each channel", async (t) => {
    const session = testSession(t);
    await driven(session);
    await run(session);
    const { channels } = await session.port.revoke({ reason: "ended" });
    await session.port.end({ clean: true });
    assert.deepEqual(channels.map(({ channel }) => channel).sort(), [BULK, CONTROL]);
    assert.ok(channels.every(({ toGuest, fromGuest }) => toGuest > 0 && fromGuest > 0));
    assert.equal(session.records().at(-1), "port.end");
    assert.equal(session.recordsOf("channel.closed").length, 2);
    assert.deepEqual(session.told, []);
  });

  test("output beyond the bound is counted and dropped, and the command still ends", async (t) => {
    const session = testSession(t, { outputBytes: 3 });
    await driven(session);
    assert.deepEqual(await run(session), { exit: { kind: "code", code: 7 }, stdout: "ech" });
    const { outputBytes, outputDropped } = await session.port.end({ clean: true });
    assert.deepEqual([outputBytes, outputDropped], [3, 5]);
    assert.equal(session.recordsOf("output.cut").length, 1);
  });

  test("a console flood is cut to the ring and counted", async (t) => {
    const session = testSession(t, { consoleBytes: 1000 });
    await connected(session);
    for (let i = 0; i < 20; i++) session.fake.console.write(Buffer.alloc(1000, 65));
    await settle();
    await session.port.end({ clean: true });
    const [cut] = session.recordsOf("console.cut");
    assert.deepEqual(cut?.["measurements"], { dropped: 19_000, kept: 1000 });
  });
});

describe("a guest that lies", () => {
  const exit = { kind: "exit", code: 0 } as const;
  const lies: Readonly<Record<string, GuestScript>> = {
    "an exit of a command that was never started": (_message, _seq, guest) =>
      guest.tell({ type: "execExit", exec: "other", status: exit }),
    "an exit before the start": (message, _seq, guest) =>
      message.type === "exec" && guest.tell({ type: "execExit", exec: message.exec, status: exit }),
    "a second greeting": (_message, _seq, guest) =>
      guest.tell({
        type: "ready",
        nonce: "0".repeat(32),
        agent: "fake",
        facts: { kernel: "", node: "", timeNs: "0", uptimeMs: 0, pidsMax: 1, fdsMax: 1 },
      }),
    "an answer to nothing": (_message, _seq, guest) => guest.tell({ type: "pong", nonce: "x" }),
    "files that nobody asked for": (_message, _seq, guest) =>
      guest.tell({
        type: "collectDone",
        ...{ stream: 1, files: 1, bytes: 1, skipped: 0, truncated: false },
      }),
    "bytes that are no frame": (_message, _seq, guest) => guest.raw(Buffer.alloc(64, 0xff)),
    "an error about a frame that was never sent": (_message, _seq, guest) =>
      guest.tell({ type: "error", ref: 4_000, code: "spawn-failed", message: "no" }),
  };

  for (const [what, script] of Object.entries(lies))
    test(`${what} closes the channel with a receipt, and is told once`, async (t) => {
      const session = testSession(t, { script: except("exec", script) });
      await driven(session);
      await assert.rejects(run(session), { code: "GUEST_GONE" });
      assert.equal(session.told.length, 1);
      assert.match(session.told[0] ?? "", new RegExp(`^violation ${CONTROL} `));
      const [violation] = session.recordsOf("channel.violation");
      assert.equal(violation?.["decision"], "closed");
      assert.equal(session.recordsOf("channel.closed").length, 1);
    });

  test("a greeting with another's nonce is no greeting", async (t) => {
    const session = testSession(t, {
      script: except(
        "hello",
        (message, seq, guest) =>
          message.type === "hello" && honest({ ...message, nonce: "f".repeat(32) }, seq, guest),
      ),
    });
    await connected(session);
    await assert.rejects(session.port.handshake({ upper: null }) as Promise<unknown>, {
      code: "GUEST_GONE",
    });
    assert.match(session.told[0] ?? "", /^violation/);
  });

  test("nonsense on the bulk channel closes it as a violation", async (t) => {
    const session = testSession(t, {
      script: except("exec", (_message, _seq, guest) => {
        // A stream that the host never opened.
        guest.streams();
        session.fake.bulkRaw(Buffer.from([0, 0, 0, 0, 9, 0, 0, 0, 0]));
      }),
    });
    await driven(session);
    const command = assert.rejects(run(session), { code: "GUEST_GONE" });
    await settle();
    assert.match(session.told[0] ?? "", new RegExp(`^violation ${BULK} `));
    // What a controller does when it is told.
    await session.port.revoke({ reason: "violation" });
    await command;
  });

  test("an agent's refusal is the command's error, not the run's", async (t) => {
    const session = testSession(t, {
      script: except("exec", (_message, seq, guest) =>
        guest.tell({ type: "error", ref: seq, code: "spawn-failed", message: "no such program" }),
      ),
    });
    await driven(session);
    await assert.rejects(run(session), { code: "AGENT_SPAWN_FAILED" });
    assert.deepEqual(session.told, []);
  });
});

describe("a guest that goes away", () => {
  test("an agent that hangs up is lost, once", async (t) => {
    const session = testSession(t, {
      script: except("exec", (_message, _seq, guest) => guest.hangUp()),
    });
    await driven(session);
    await assert.rejects(run(session), { code: "GUEST_GONE" });
    await settle();
    assert.deepEqual(session.told, ["lost AGENT_LOST"]);
  });

  test("a VMM that is gone is lost, and every later request is refused", async (t) => {
    const session = testSession(t);
    await driven(session);
    session.fake.die();
    assert.deepEqual(session.told, ["lost VMM_GONE"]);
    await assert.rejects(run(session), { code: "GUEST_GONE" });
  });

  test("a machine that stopped by itself is lost", async (t) => {
    const session = testSession(t);
    await driven(session);
    session.fake.stopped("guest-panic");
    assert.deepEqual(session.told, ["lost GUEST_STOPPED"]);
    assert.equal(session.recordsOf("vmm.event").length, 1);
  });

  test("a guest that never answers the greeting is given up in time", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const session = testSession(t, { script: () => undefined });
    await connected(session);
    const greeting = assert.rejects(session.port.handshake({ upper: null }) as Promise<unknown>, {
      code: "GUEST_SILENT",
    });
    t.mock.timers.tick(60_000);
    await greeting;
  });
});

describe("after the doors are shut", () => {
  for (const [name, late] of Object.entries({
    handshake: (port: ReturnType<typeof testSession>["port"]) => port.handshake({ upper: null }),
    grant: (port: ReturnType<typeof testSession>["port"]) => port.grant({ channel: BULK }),
    resume: (port: ReturnType<typeof testSession>["port"]) => port.resume(null),
  }))
    test(`a late ${name} opens nothing again`, async (t) => {
      const session = testSession(t);
      await connected(session);
      await session.port.revoke({ reason: "ended" });
      await assert.rejects(async () => late(session.port), { code: "GUEST_GONE" });
      assert.equal(session.fake.open.has(BULK), false);
    });

  test("a grant that was under way when they were shut is taken back", async (t) => {
    const session = testSession(t);
    await connected(session);
    await session.port.handshake({ upper: null });
    const { machine } = session.fake;
    const grant = machine.grant.bind(machine);
    machine.grant = async (channel) => {
      const stream = await grant(channel);
      await session.port.revoke({ reason: "ended" });
      return stream;
    };
    await assert.rejects(session.port.grant({ channel: BULK }) as Promise<unknown>, {
      code: "GUEST_GONE",
    });
    assert.equal(session.fake.open.has(BULK), false);
  });

  test("what the guest still says is neither read nor told", async (t) => {
    const session = testSession(t);
    await driven(session);
    const { channels } = await session.port.revoke({ reason: "ended" });
    session.fake.guest.raw(Buffer.alloc(64, 0xff));
    await settle();
    const { channels: later } = await session.port.checkpoint(null);
    assert.deepEqual(later, channels);
    assert.deepEqual(session.told, []);
  });
});
