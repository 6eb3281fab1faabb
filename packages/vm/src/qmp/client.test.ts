import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { QmpClient } from "./client.js";
import { parseQomTree, queryBlock, queryNics } from "./commands.js";
import { decodeFrame, LineSplitter, MAX_FRAME_BYTES } from "./decode.js";

const GREETING = `{"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}}, "capabilities": []}}\r\n`;

/** A pipe whose other end is a function of what was written. */
const pipeTo = (answer: (line: string, say: (text: string) => void) => void): Duplex => {
  const pipe: Duplex = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      for (const line of chunk.toString().split("\n").filter(Boolean)) {
        answer(line, (text) => pipe.push(Buffer.from(text)));
      }
      done();
    },
  });
  return pipe;
};

/** Answers every command with `{}` after the greeting, or with what `special` gives. */
const politeVmm = (special: Readonly<Record<string, string>> = {}): Duplex => {
  const pipe = pipeTo((line, say) => {
    const { execute, id } = JSON.parse(line) as { execute: string; id: number };
    say(special[execute]?.replaceAll("$ID", String(id)) ?? `{"return": {}, "id": ${id}}\r\n`);
  });
  pipe.push(Buffer.from(GREETING));
  return pipe;
};

const open = async (special: Readonly<Record<string, string>> = {}) =>
  QmpClient.open(politeVmm(special));

describe("the monitor client", () => {
  test("negotiates, executes, and tells the version", async () => {
    const qmp = await open({ "query-status": '{"return": {"status": "paused"}, "id": $ID}\n' });
    assert.equal(qmp.version, "7.2.22");
    assert.deepEqual(await qmp.execute("query-status"), { status: "paused" });
    qmp.close();
  });

  test("hands on events and keeps answers apart from them", async () => {
    const seen: string[] = [];
    const qmp = await open({
      stop: '{"event": "STOP", "data": {"a": 1}, "timestamp": {"seconds": 1}}\n{"return": {}, "id": $ID}\n',
    });
    qmp.onEvent(({ name }) => seen.push(name));
    await qmp.execute("stop");
    assert.deepEqual(seen, ["STOP"]);
    qmp.close();
  });

  test("passes a refusal on with its text quoted", async () => {
    const qmp = await open({
      device_del: '{"error": {"class": "GenericError", "desc": "no \\u001b[2J"}, "id": $ID}\n',
    });
    await assert.rejects(qmp.execute("device_del"), (error: Error & { code: string }) => {
      assert.equal(error.code, "QMP_COMMAND");
      assert.doesNotMatch(error.message, /\u001b/);
      return true;
    });
    qmp.close();
  });

  const breaches: readonly (readonly [string, string])[] = [
    ["an answer to nothing", '{"return": {}, "id": 4711}\n'],
    ["an answer without an id", '{"return": {}}\n'],
    ["an error without an id", '{"error": {"class": "GenericError", "desc": "x"}}\n'],
    ["a fractional id", '{"return": {}, "id": 1.5}\n'],
    ["both answer and error", '{"return": {}, "error": {"class": "x", "desc": "y"}, "id": $ID}\n'],
    ["neither", '{"id": $ID}\n'],
    ["a second greeting", GREETING],
    ["text that isn't JSON", "hello\n"],
    ["a list", "[]\n"],
    ["deep nesting", `{"return": ${"[".repeat(40)}${"]".repeat(40)}, "id": $ID}\n`],
    ["an endless line", "x".repeat(MAX_FRAME_BYTES + 1)],
  ];
  for (const [what, text] of breaches) {
    test(`closes the pipe on ${what}`, async () => {
      const qmp = await open({ stop: text });
      await assert.rejects(qmp.execute("stop"), { code: "QMP_PROTOCOL" });
      await assert.rejects(qmp.execute("cont"), { code: "QMP_PROTOCOL" });
      await qmp.closed;
    });
  }

  test("fails what waits when the VMM goes away", async () => {
    const pipe = politeVmm({ stop: " " });
    const qmp = await QmpClient.open(pipe);
    const waiting = qmp.execute("stop");
    pipe.destroy();
    await assert.rejects(waiting, { code: "QMP_CLOSED" });
    assert.match((await qmp.closed).message, /closed/);
  });

  test("never hangs, throws outside or stores, whatever bytes come", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileChunk(), { maxLength: 20 }), async (chunks) => {
        const pipe = politeVmm({ stop: " " });
        const qmp = await QmpClient.open(pipe);
        const outcome = qmp.execute("stop").then(
          () => "answered",
          (error: Error & { code: string }) => error.code,
        );
        for (const chunk of chunks) pipe.push(Buffer.from(chunk));
        pipe.push(null);
        setImmediate(() => pipe.destroy());
        assert.match(await outcome, /^(answered|QMP_PROTOCOL|QMP_CLOSED|QMP_COMMAND)$/);
        await qmp.closed;
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  test("cuts lines the same way however the bytes arrive", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, ""))),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
          const splitter = new LineSplitter();
          const found: string[] = [];
          for (let at = 0; at < bytes.length; ) {
            const size = sizes.next().value ?? 1;
            for (const line of splitter.push(bytes.subarray(at, at + size)))
              found.push(String(line));
            at += size;
          }
          assert.deepEqual(
            found,
            lines.filter((line) => line !== ""),
          );
        },
      ),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

describe("what commands read", () => {
  test("the object tree becomes sorted paths", () => {
    const text =
      "/machine (microvm-machine)\r\n  /peripheral (container)\r\n    /serial (virtio-serial-device)\r\n  /a b[0] (memory-region)\r\n";
    assert.deepEqual(parseQomTree(text), [
      { path: "/machine", type: "microvm-machine" },
      { path: "/machine/a b[0]", type: "memory-region" },
      { path: "/machine/peripheral", type: "container" },
      { path: "/machine/peripheral/serial", type: "virtio-serial-device" },
    ]);
  });

  test("an object tree of another form is refused", () => {
    for (const text of [
      "machine (x)\r\n",
      "/machine\r\n",
      "  /machine (x)\r\n",
      "/m (x)\r\n /a (y)\r\n",
    ]) {
      assert.throws(() => parseQomTree(text), { code: "QMP_PROTOCOL" }, text);
    }
  });

  test("an answer of the wrong shape is refused", async () => {
    const executor = (value: unknown) => ({ execute: async () => value as never });
    await assert.rejects(queryNics(executor({})), { code: "QMP_PROTOCOL" });
    await assert.rejects(queryNics(executor([{ name: 1 }])), { code: "QMP_PROTOCOL" });
    await assert.rejects(queryBlock(executor([{ inserted: { file: "x" }, qdev: "y" }])), {
      code: "QMP_PROTOCOL",
    });
  });

  test("decoding any bytes gives a frame or a protocol error", () => {
    fc.assert(
      fc.property(hostileChunk(), (bytes) => {
        try {
          decodeFrame(Buffer.from(bytes));
        } catch (error) {
          assert.equal((error as { code?: string }).code, "QMP_PROTOCOL");
        }
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

const hostileChunk = (): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json({ maxDepth: 3 }).map((text) => Buffer.from(`${text}\n`)),
    fc
      .record({
        id: fc.oneof(fc.integer(), fc.constant(2), fc.string()),
        return: fc.option(fc.jsonValue(), { nil: undefined }),
        error: fc.option(fc.jsonValue(), { nil: undefined }),
        event: fc.option(fc.jsonValue(), { nil: undefined }),
      })
      .map((frame) => Buffer.from(`${JSON.stringify(frame)}\n`)),
  );
