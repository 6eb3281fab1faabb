import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { pointer, wireName } from "../../testing/dns-message.js";
import { readName } from "./read-name.js";
import { encodeName, foldCase, isBelow } from "./wire-name.js";

const header = Buffer.alloc(12);
const text = (name: string): string => wireName(name).toString("latin1");
/** A name at byte 12, and then what the test puts after it. */
const after = (...parts: Uint8Array[]): Buffer =>
  Buffer.concat([header, wireName("www.example.com"), ...parts]);
const AFTER = 12 + wireName("www.example.com").length;

test("a name is read whole, through pointers, and what follows begins after the first of them", () => {
  assert.deepEqual(readName(after(), 12), { name: text("www.example.com"), next: AFTER });
  assert.deepEqual(readName(after(pointer(12)), AFTER), {
    name: text("www.example.com"),
    next: AFTER + 2,
  });
  const compressed = after(Buffer.from("\x03ftp"), pointer(16), pointer(AFTER));
  assert.deepEqual(readName(compressed, AFTER), { name: text("ftp.example.com"), next: AFTER + 6 });
  // Two jumps, each further back.
  assert.deepEqual(readName(compressed, AFTER + 6), {
    name: text("ftp.example.com"),
    next: AFTER + 8,
  });
});

test("a pointer goes back or the name is refused: no loop can be written", () => {
  const refused: [string, Buffer][] = [
    ["to itself", after(pointer(AFTER))],
    ["to its own label", after(Buffer.from("\x01a"), pointer(AFTER))],
    ["forward", after(pointer(AFTER + 2), wireName("a.example"))],
    ["into the header", after(pointer(11))],
    ["a pair, one back and one forth", after(pointer(AFTER + 2), pointer(AFTER))],
    ["cut off", after(Buffer.of(0xc0))],
  ];
  for (const [what, message] of refused) assert.equal(readName(message, AFTER), null, what);
  // A pair of which the later points back to the earlier, which points forward: both are refused.
  assert.equal(readName(after(pointer(AFTER + 2), pointer(AFTER)), AFTER + 2), null);
  // The control: the same bytes with a target further back.
  assert.notEqual(readName(after(pointer(12), pointer(AFTER)), AFTER + 2), null);
});

test("a name has at most 255 bytes, a label at most 63, and both end within the message", () => {
  const label = (length: number): Buffer =>
    Buffer.concat([Buffer.of(length), Buffer.alloc(length, "a")]);
  const name = (...lengths: number[]): Buffer =>
    Buffer.concat([header, ...lengths.map(label), Buffer.of(0)]);
  assert.equal(readName(name(63, 63, 63, 61), 12)?.name.length, 255);
  assert.equal(readName(name(63, 63, 63, 62), 12), null);
  // 0x40 and 0x80 aren't lengths (RFC 1035 §4.1.4 reserves them).
  assert.equal(readName(name(64), 12), null);
  assert.equal(readName(name(0x80), 12), null);
  for (let cut = 12; cut < name(3, 3).length; cut += 1) {
    assert.equal(readName(name(3, 3).subarray(0, cut), 12), null, `cut at ${cut}`);
  }
  // Also when only pointers make it too long.
  const long = Buffer.concat([name(63, 63, 63), label(63), pointer(12)]);
  const start = name(63, 63, 63).length;
  assert.equal(readName(long, start), null);
  const short = Buffer.concat([name(63, 63, 60), label(63), pointer(12)]);
  assert.equal(readName(short, name(63, 63, 60).length)?.name.length, 254);
});

test("whatever the bytes, reading ends within them", () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, fc.nat(320), (message, at) => {
      const found = readName(message, at);
      if (found === null) return;
      assert.ok(found.name.length <= 255 && found.name.endsWith("\0"));
      assert.ok(found.next > at && found.next <= message.length);
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("a host becomes a name only as two or more canonical labels", () => {
  assert.equal(encodeName("www.example.com"), text("www.example.com"));
  const refused = ["localhost", "", ".", "a..b", "a.b.", ".a.b", "A.b", "a_b.c", "a b.c", "ä.b"];
  for (const host of refused) assert.equal(encodeName(host), null, host);
  assert.notEqual(encodeName(`${"a".repeat(63)}.b`), null);
  assert.equal(encodeName(`${"a".repeat(64)}.b`), null);
  const long = (last: number) => `${Array(3).fill("a".repeat(63)).join(".")}.${"a".repeat(last)}`;
  assert.equal(encodeName(long(61))?.length, 255);
  assert.equal(encodeName(long(62)), null);
});

test("names are compared label by label", () => {
  assert.equal(foldCase(text("wWw.ExAmPlE.com")), text("www.example.com"));
  assert.equal(isBelow(text("www.example.com"), text("example.com")), true);
  assert.equal(isBelow(text("example.com"), text("example.com")), false);
  assert.equal(isBelow(text("notexample.com"), text("example.com")), false);
});
