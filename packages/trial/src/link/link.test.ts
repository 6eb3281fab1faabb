import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { DrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { LineSplitter } from "./lines.js";
import { Link, type Method } from "./link.js";

const pipe = (): [Duplex, Duplex] => {
  const make = (): Duplex =>
    new Duplex({
      read: () => undefined,
      write(chunk, _encoding, done) {
        other(this).push(chunk);
        done();
      },
      final(done) {
        other(this).push(null);
        done();
      },
    });
  const a = make();
  const b = make();
  const other = (one: Duplex): Duplex => (one === a ? b : a);
  return [a, b];
};

const readNumber = (value: unknown): number => {
  if (typeof value !== "number") throw new Error("not a number");
  return value;
};
const contract = {
  double: { params: readNumber, result: readNumber } satisfies Method<number, number>,
};

test("a call is answered by the other side's handler", async () => {
  const [a, b] = pipe();
  const client = new Link(a);
  new Link(b).serve(contract, { double: (n) => n * 2 });
  assert.equal(await client.calls(contract).double(21), 42);
});

test("an error keeps its code and its fix across the link", async () => {
  const [a, b] = pipe();
  const client = new Link(a);
  new Link(b).serve(contract, {
    double: () => {
      throw new DrydockError("NO_SPACE", "full", { fix: "free some" });
    },
  });
  await assert.rejects(client.calls(contract).double(1), { code: "NO_SPACE", fix: "free some" });
});

test("calls that wait when the other side goes away are rejected, not forgotten", async () => {
  const [a, b] = pipe();
  const client = new Link(a);
  const server = new Link(b);
  server.serve(contract, { double: () => new Promise<number>(() => undefined) });
  const waiting = client.calls(contract).double(1);
  server.close();
  b.push(null);
  client.close();
  await assert.rejects(waiting, { code: "LINK_CLOSED" });
});

for (const [name, line] of Object.entries({
  "no JSON": "{",
  "an unknown member": '{"kind":"call","id":1,"method":"double","params":1,"more":1}',
  "an unknown method": '{"kind":"call","id":1,"method":"triple","params":1}',
  "a method of Object.prototype": '{"kind":"call","id":1,"method":"toString","params":1}',
  "wrong arguments": '{"kind":"call","id":1,"method":"double","params":"1"}',
  "an answer never asked for": '{"kind":"result","id":9,"value":1}',
})) {
  test(`${name} ends the link`, async () => {
    const [a, b] = pipe();
    const server = new Link(b);
    server.serve(contract, { double: (n) => n * 2 });
    a.write(`${line}\n`);
    assert.equal((await server.ended).kind, "violation");
  });
}

test("random bytes end the link or are waited for, and never throw", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
      const [, b] = pipe();
      const server = new Link(b);
      server.serve(contract, { double: (n) => n * 2 });
      for (const chunk of chunks) b.emit("data", Buffer.from(chunk));
    }),
    { seed: profile.seed, numRuns: profile.fuzz },
  );
});

test("lines are the same however the bytes are cut, and an overlong one is refused", () => {
  const text = Buffer.from("one\ntwo\n\nthree\n");
  for (let size = 1; size < text.length; size++) {
    const splitter = new LineSplitter(8);
    const lines: string[] = [];
    for (let at = 0; at < text.length; at += size) {
      const split = splitter.push(text.subarray(at, at + size));
      assert.equal(split.kind, "lines");
      if (split.kind === "lines") lines.push(...split.lines.map(String));
    }
    assert.deepEqual(lines, ["one", "two", "", "three"]);
  }
  assert.equal(new LineSplitter(8).push(Buffer.from("123456789")).kind, "overlong");
});
