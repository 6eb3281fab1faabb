import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Reason } from "../decision/reason.js";
import { formatAuthority } from "./authority.js";
import { parseAuthority, parseAuthorityOr } from "./parse.js";

const read = (text: string): string => {
  const result = parseAuthority(text);
  return result.kind === "refused" ? result.reason : formatAuthority(result.authority);
};

const LABEL_63 = "a".repeat(63);
/** 253 characters: three full labels and one of 61. */
const NAME_253 = `${LABEL_63}.${LABEL_63}.${LABEL_63}.${"a".repeat(61)}`;

describe("an authority", () => {
  for (const [text, canonical] of [
    ["a.example:443", "a.example:443"],
    ["A.EXAMPLE:443", "a.example:443"],
    ["a.example.:443", "a.example:443"],
    ["a.example:1", "a.example:1"],
    ["a.example:65535", "a.example:65535"],
    ["0.a:80", "0.a:80"],
    ["127.0.0.1.example:80", "127.0.0.1.example:80"],
    ["0x7f.example:80", "0x7f.example:80"],
    ["1.2.3.4x:80", "1.2.3.4x:80"],
    ["a--b.example:80", "a--b.example:80"],
    ["r3---sn-ab.example:80", "r3---sn-ab.example:80"],
    ["xn--bcher-kva.example:80", "xn--bcher-kva.example:80"],
    ["XN--BCHER-KVA.example:80", "xn--bcher-kva.example:80"],
    ["xn--zca.example:80", "xn--zca.example:80"],
    ["a.xn--p1ai:80", "a.xn--p1ai:80"],
    [`${LABEL_63}.example:80`, `${LABEL_63}.example:80`],
    [`${NAME_253}:80`, `${NAME_253}:80`],
    [`${NAME_253}.:80`, `${NAME_253}:80`],
  ] as const) {
    it(`${text.slice(0, 40)} is ${canonical.slice(0, 40)}`, () => {
      assert.equal(read(text), canonical);
    });
  }
});

const REFUSED: Readonly<Partial<Record<Reason, readonly string[]>>> = {
  AUTHORITY_FORM: ["", "a.example", "a.example:443:80", "a.example::443", "host"],
  URL: [
    "http://a.example",
    "https://a.example:443",
    "//a.example:443",
    "a.example:443/",
    "a.example/path:443",
    "a.example:443?x",
    "a.example:443#x",
    "a.example\\@b.example:443",
    "/",
  ],
  USERINFO: [
    "user@a.example:443",
    "user:password@a.example:443",
    "@a.example:443",
    "a.example:443@b",
  ],
  PERCENT_ESCAPE: [
    "a%2eexample:443",
    "%61.example:443",
    "a.example%00:443",
    "a.example:%34",
    "a.example:443%",
  ],
  CONTROL_BYTE: [
    "a.example\0:443",
    "a.example\0.b.example:443",
    " a.example:443",
    "a.example :443",
    "a.example: 443",
    "a.example:443 ",
    "a.example:443\n",
    "a.example:443\r\nX: y",
    "a\t.example:443",
    "a\x7f.example:443",
    "a\x85.example:443",
    "127.0.0.1 x:80",
  ],
  WILDCARD: ["*.example:443", "*:443", "a.*.example:443", "a*.example:443", "a.example:*"],
  IP_LITERAL: [
    "127.0.0.1:80",
    "127.0.0.1.:80",
    "127.0.0.1",
    "127.1:80",
    "127.0.1:80",
    "2130706433:80",
    "017700000001:80",
    "0x7f000001:80",
    "0X7F.0X0.0X0.0X1:80",
    "0177.0.0.01:80",
    "0x7f.0.0.1:80",
    "0x.0.0.0:80",
    "256.256.256.256:80",
    "08.08.08.08:80",
    "1.2.3.4.5:80",
    "0:80",
    "[::1]:80",
    "[::1]",
    "[::ffff:127.0.0.1]:80",
    "[::ffff:7f00:1]:80",
    "[fe80::1%25eth0]:80",
    "[fe80::1%eth0]:80",
    "[127.0.0.1]:80",
    "[a.example]:443",
    "a.example]:443",
    "::1",
    "::1:80",
    "::ffff:127.0.0.1:80",
    "fe80::1%eth0:80",
    "127.0.0.1%eth0:80",
    "１２７.0.0.1:80",
    "①②⑦.⓪.⓪.①:80",
    "127。0。0。1:80",
    "127．0｡0.1:80",
    "１２７。１:80",
    "０ｘ７ｆ.1:80",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏:80",
    "127.0\u00ad.0.1:80",
  ],
  NAME_INVALID: [
    ":443",
    ".:443",
    "..:443",
    "localhost:443",
    "localhost.:443",
    "a..example:443",
    ".a.example:443",
    "a.example..:443",
    "-a.example:443",
    "a-.example:443",
    "a_b.example:443",
    "_dns.a.example:443",
    "a!b.example:443",
    "a,b.example:443",
    "a'b.example:443",
    "a.example.7:443",
    "a.0x7:443",
    "a.0x:443",
    "a.0X7F:443",
    "$(id).example:443",
    `a${LABEL_63}.example:443`,
    `${NAME_253}a:80`,
    `a.${NAME_253}:80`,
    `${"a.".repeat(5000)}example:443`,
  ],
  NAME_IDNA: [
    "bücher.example:443",
    "BÜCHER.example:443",
    "аpple.example:443", // a Cyrillic letter
    "a.example\u200b:443",
    "a\u00ad.example:443",
    "a。example:443",
    "ｅxample.com:443",
    "faß.example:443",
    "\u212a.example:443", // KELVIN SIGN, which lower case takes to k
    "xn--a.example:443",
    "xn--99999999.example:443",
    // Punycode of what no U-label may hold: a full-width letter, an upper-case one, a circled digit,
    // a soft hyphen, an ideographic full stop.
    "xn--bc-bz3n.example:443",
    "xn--bung-fna.example:443",
    "xn--orh.example:443",
    "xn--ab-5da.example:443",
    "xn--ab-r13a.example:443",
    "\ud800.example:443",
  ],
  PORT_INVALID: [
    "a.example:",
    "a.example:0",
    "a.example:00",
    "a.example:0443",
    "a.example:65536",
    "a.example:91337",
    "a.example:443443",
    "a.example:+443",
    "a.example:-443",
    "a.example:https",
    "a.example:0x1bb",
    "a.example:4e2",
    "a.example:443.0",
    "a.example:４４３",
    "a.example:443,80",
  ],
};

for (const [reason, texts] of Object.entries(REFUSED)) {
  describe(`refused as ${reason}`, () => {
    for (const text of texts) {
      it(JSON.stringify(text).slice(0, 60), () => {
        assert.equal(read(text), reason);
      });
    }
  });
}

describe("an authority with a default port", () => {
  it("is one without a port", () => {
    assert.deepEqual(parseAuthorityOr("a.example", 80), parseAuthority("a.example:80"));
  });

  it("keeps its own", () => {
    assert.deepEqual(parseAuthorityOr("a.example:81", 80), parseAuthority("a.example:81"));
  });

  it("isn't one that ends in a colon, nor an address", () => {
    assert.deepEqual(parseAuthorityOr("a.example:", 80), {
      kind: "refused",
      reason: "PORT_INVALID",
    });
    assert.deepEqual(parseAuthorityOr("127.1", 80), { kind: "refused", reason: "IP_LITERAL" });
    assert.deepEqual(parseAuthorityOr("[::1]", 80), { kind: "refused", reason: "IP_LITERAL" });
  });
});
