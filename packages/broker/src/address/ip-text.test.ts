import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { formatIp, parseIp } from "./ip-text.js";

const FUZZ = { numRuns: profile.fuzz * 5, seed: profile.seed };

const canonical = (text: string): string | null => {
  const ip = parseIp(text);
  return ip === null ? null : formatIp(ip);
};

describe("reading an address", () => {
  for (const [text, expected] of [
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"],
    ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
    // RFC 5952 §4.2: a single group isn't shortened, the longest run is, and of two the first.
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
    ["::ffff:c000:201", "::ffff:192.0.2.1"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
    ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
  ] as const) {
    it(`${text} is ${expected}`, () => {
      assert.equal(canonical(text), expected);
    });
  }

  for (const text of [
    "",
    "1",
    "127.1",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "1.2.3.256",
    "0x7f.0.0.1",
    "2130706433",
    "+1.2.3.4",
    "1.2.3.4 ",
    "1.2.3.",
    ".1.2.3",
    "1.2.3.4/32",
    ":",
    ":::",
    "1::2::3",
    ":1",
    "1:",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "::1:2:3:4:5:6:7:8",
    "12345::",
    "g::",
    "::1%eth0",
    "fe80::1%1",
    "[::1]",
    "::1.2.3",
    "::01.2.3.4",
    "::1.2.3.4:5",
    "1.2.3.4::",
    "1:2:3:4:5:6:7:1.2.3.4",
    "１.2.3.4",
    "::/0",
  ]) {
    it(`${JSON.stringify(text)} is none`, () => {
      assert.equal(parseIp(text), null);
    });
  }

  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
    // Many zeros, for the runs.
    fc.array(fc.constantFrom(0, 0, 0, 1, 255), { minLength: 16, maxLength: 16 }),
  );

  it("gives back what was written, in a form that a URL parser leaves alone", () => {
    fc.assert(
      fc.property(bytes, (octets) => {
        const family = octets.length === 4 ? 4 : 6;
        const ip = { family, bytes: Uint8Array.from(octets) } as const;
        const text = formatIp(ip);
        assert.deepEqual(parseIp(text), ip);
        assert.equal(isIP(text), family);
        if (family === 6 && !text.includes(".")) {
          assert.equal(new URL(`http://[${text}]/`).hostname, `[${text}]`);
        }
      }),
      FUZZ,
    );
  });

  it("takes nothing that inet_pton, behind isIP, refuses", () => {
    const texts = fc.string({
      unit: fc.constantFrom(..."0123456789abcfF:::...%x "),
      maxLength: 42,
    });
    fc.assert(
      fc.property(texts, (text) => {
        const ip = parseIp(text);
        assert.ok(ip === null || isIP(text) === ip.family);
        // The other way only zones differ.
        assert.ok(ip !== null || isIP(text) === 0 || text.includes("%"));
      }),
      FUZZ,
    );
  });
});
