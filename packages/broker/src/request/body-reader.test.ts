import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBodyReader } from "./body-reader.js";
import type { Framing } from "./model.js";
import { driveBody, octets } from "./testing/drive.js";

const read = (framing: Framing, bytes: string) =>
  driveBody(createBodyReader(framing), [octets(bytes)]);

const chunked = (bytes: string) => read({ kind: "chunked" }, bytes);

describe("content", () => {
  it("of no bytes ends at the first push, even an empty one", () => {
    for (const framing of [{ kind: "none" }, { kind: "length", bytes: 0 }] as const) {
      assert.deepEqual(read(framing, ""), { outcome: "end", content: "", rest: "" });
      assert.deepEqual(read(framing, "x"), { outcome: "end", content: "", rest: "x" });
    }
  });

  it("of a length ends there", () => {
    const framing = { kind: "length", bytes: 3 } as const;
    assert.deepEqual(read(framing, "ab"), { outcome: "more", content: "ab", rest: "" });
    assert.deepEqual(read(framing, "abc"), { outcome: "end", content: "abc", rest: "" });
    assert.deepEqual(read(framing, "abcd"), { outcome: "end", content: "abc", rest: "d" });
  });

  it("until the connection ends has no other end", () => {
    const reader = createBodyReader({ kind: "until-close" });
    assert.deepEqual(reader.push(octets("0\r\n\r\n")), {
      kind: "data",
      data: [octets("0\r\n\r\n")],
    });
    assert.equal(reader.finish().kind, "end");
  });

  it("that is cut off is refused", () => {
    for (const framing of [{ kind: "length", bytes: 3 }, { kind: "chunked" }] as const) {
      const reader = createBodyReader(framing);
      reader.push(octets(framing.kind === "chunked" ? "2\r\nab\r\n" : "ab"));
      assert.deepEqual(reader.finish(), { kind: "refused", reason: "FRAMING" });
    }
  });
});

describe("chunks", () => {
  for (const [bytes, content, rest] of [
    ["0\r\n\r\n", "", ""],
    ["5\r\nhello\r\n0\r\n\r\nnext", "hello", "next"],
    ["1\r\na\r\nA\r\n0123456789\r\n00a\r\n0123456789\r\n0\r\n\r\n", "a01234567890123456789", ""],
    ["3;x\r\nabc\r\n0\r\n\r\n", "abc", ""],
    ['3;x=y;z="a b\\"c;\\\\"\r\nabc\r\n0;last\r\n\r\n', "abc", ""],
    ["2\r\n\r\n\r\n0\r\n\r\n", "\r\n", ""],
    ["1\r\na\r\n000\r\nX-Trailer: y\r\nZ:\r\n\r\n!", "a", "!"],
  ] as const) {
    it(JSON.stringify(bytes), () => {
      assert.deepEqual(chunked(bytes), { outcome: "end", content, rest });
    });
  }

  it("may be as large as 2^52 - 1", () => {
    assert.deepEqual(chunked("fffffffffffff\r\nab"), { outcome: "more", content: "ab", rest: "" });
  });

  for (const bytes of [
    "\r\n",
    "g\r\n",
    "-1\r\n",
    "+1\r\n",
    "0x1\r\n",
    " 1\r\n",
    "1 \r\n",
    "1\t\r\n",
    "1 ;x\r\n",
    "1;\r\n",
    "1; x\r\n",
    "1;x=\r\n",
    '1;x="\r\n',
    '1;x="\\"\r\n',
    "1;x=a b\r\n",
    "1\na\r\n",
    "1\r\r\n",
    "1\ra",
    "1;x\n\r\n",
    "1;x\ry\r\n",
    "1;x\0\r\n",
    "10000000000000\r\n",
    "ffffffffffffffff\r\n",
    "00000000000001\r\n",
    "1\r\nab\r\n",
    "1\r\na\n",
    "1\r\na\r\r",
    "1\r\na0\r\n",
    "2\r\na\r\n0\r\n\r\n",
    "0\r\n\n",
    "0\r\nX y: z\r\n\r\n",
    "0\r\n X: z\r\n\r\n",
    "0\r\nX : z\r\n\r\n",
    "0\r\nX\r\n\r\n",
    "0\r\nX: \0\r\n\r\n",
    "0\r\n1\r\n",
    `1;${"x".repeat(300)}\r\na\r\n`,
    `0\r\n${"X: y\r\n".repeat(2000)}\r\n`,
    `0\r\nX: ${"y".repeat(9000)}\r\n\r\n`,
  ]) {
    it(`not ${JSON.stringify(bytes).slice(0, 50)}`, () => {
      assert.equal(chunked(bytes).outcome, "refused");
    });
  }

  it("have a longest size line and a longest trailer, and no byte more", () => {
    const size = (length: number) => `1;${"x".repeat(length - 4)}\r\na\r\n0\r\n\r\n`;
    assert.equal(chunked(size(256)).outcome, "end");
    assert.equal(chunked(size(257)).outcome, "refused");
    const trailer = (length: number) => `0\r\nX:${"y".repeat(length - 6)}\r\n\r\n`;
    assert.equal(chunked(trailer(8192)).outcome, "end");
    assert.equal(chunked(trailer(8193)).outcome, "refused");
  });
});
