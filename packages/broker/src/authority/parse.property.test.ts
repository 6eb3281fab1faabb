import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";
import { domainToASCII } from "node:url";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { formatAuthority } from "./authority.js";
import { parseAuthority } from "./parse.js";

const FUZZ = { numRuns: profile.fuzz * 5, seed: profile.seed };

const LDH = /^[a-z0-9-]{1,63}$/;

/** What must hold of everything that is accepted. */
const checkAccepted = (text: string): boolean => {
  const result = parseAuthority(text);
  if (result.kind === "refused") {
    return false;
  }
  const { host, port } = result.authority;
  const canonical = formatAuthority(result.authority);
  assert.deepEqual(parseAuthority(canonical), result, "idempotent");
  const labels = host.split(".");
  assert.ok(labels.length >= 2 && labels.every((label) => LDH.test(label)), canonical);
  assert.ok(host.length <= 253 && port >= 1 && port <= 65_535);
  assert.equal(isIP(host), 0);
  // A URL parser makes the same name and port of it, and of what was given.
  for (const written of [canonical, text]) {
    const url = new URL(`wss://${written}`);
    assert.equal(url.hostname.replace(/\.$/, ""), host);
    assert.equal(url.port === "" ? 443 : Number(url.port), port);
  }
  assert.equal(domainToASCII(host), host);
  return true;
};

/** Pieces that parsers have been known to disagree about, mixed with those of names. */
const PIECES = [
  ..."abz019.-.:",
  ..."%@/\\?#[]*_ \0\t\r\n\x7f",
  ...["xn--", "xn--bcher-kva", "example", ".com", ":443", ":80", "0x", "0177", "127", "::", "ffff"],
  ...[
    "%2e",
    "%00",
    "%25",
    "。",
    "．",
    "｡",
    "①",
    "２",
    "\u00ad",
    "\u200d",
    "ß",
    "ü",
    "K",
    "\ud800",
    "é",
  ],
];

const noise = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 14 })
  .map((pieces) => pieces.join(""));

const label = fc.string({
  unit: fc.constantFrom(..."abcxyzABC0189-"),
  minLength: 1,
  maxLength: 12,
});
const nearlyNames = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 5 }), fc.constantFrom("", "."), fc.nat(70_000))
  .map(([labels, dot, port]) => `${labels.join(".")}${dot}:${port}`);

describe("whatever is accepted", () => {
  it("is in canonical form, LDH and what a URL parser makes of it", () => {
    let accepted = 0;
    const texts = fc.oneof(noise, nearlyNames, fc.string({ unit: "binary", maxLength: 30 }));
    fc.assert(
      fc.property(texts, (text) => {
        accepted += checkAccepted(text) ? 1 : 0;
      }),
      FUZZ,
    );
    // The control: not everything was refused.
    assert.ok(accepted > FUZZ.numRuns / 20, `${accepted}`);
  });

  it("is punycode that stands for one name only", () => {
    const punycode = fc.string({
      unit: fc.constantFrom(..."abcxyz0189-"),
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(punycode, (tail) => {
        checkAccepted(`xn--${tail}.example:443`);
      }),
      FUZZ,
    );
  });
});

/** One number in each spelling that inet_aton(3) takes. */
const spelled = (value: bigint): fc.Arbitrary<string> =>
  fc.tuple(fc.nat(3), fc.nat(3)).map(([base, zeros]) => {
    switch (base) {
      case 0:
        return value.toString();
      case 1:
        return `0${"0".repeat(zeros)}${value.toString(8)}`;
      case 2:
        return `0x${"0".repeat(zeros)}${value.toString(16)}`;
      default:
        return `0X${"0".repeat(zeros)}${value.toString(16).toUpperCase()}`;
    }
  });

/** The four octets as one to four numbers, of which the last takes the octets that are left. */
const spellings = (octets: readonly number[]): fc.Arbitrary<string> =>
  fc.integer({ min: 1, max: 4 }).chain((parts) => {
    const last = octets.slice(parts - 1).reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
    return fc
      .tuple(...octets.slice(0, parts - 1).map((octet) => spelled(BigInt(octet))), spelled(last))
      .map((numbers) => numbers.join("."));
  });

const octets = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
const FULL_WIDTH = 0xff10;

const disguises: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `${text}.`,
  (text) => `[${text}]`,
  (text) => `[::ffff:${text}]`,
  (text) => `::ffff:${text}`,
  (text) => `${text}%eth0`,
  (text) => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(FULL_WIDTH + Number(digit))),
  (text) => text.replaceAll(".", "。"),
  (text) => text.replaceAll(".", "．"),
];

describe("an IPv4 address", () => {
  it("is refused in each spelling of inet_aton, disguised or not", () => {
    const texts = octets
      .chain(spellings)
      .chain((text) => fc.constantFrom(...disguises).map((disguise) => disguise(text)));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        const result = parseAuthority(`${host}:${port}`);
        // A disguised short form that no URL parser maps either is refused for its characters.
        const undressable = /[^\0-\x7f]/.test(host) && isIP(domainToASCII(host)) === 0;
        assert.deepEqual(result, {
          kind: "refused",
          reason: undressable ? "NAME_IDNA" : "IP_LITERAL",
        });
      }),
      FUZZ,
    );
  });

  it("is what a URL parser takes for one, and none of these is accepted", () => {
    fc.assert(
      fc.property(fc.oneof(noise, octets.chain(spellings)), (host) => {
        const taken = URL.canParse(`http://${host}:1/`)
          ? new URL(`http://${host}:1/`).hostname
          : "";
        if (isIP(taken) !== 0 || taken.startsWith("[")) {
          assert.equal(parseAuthority(`${host}:1`).kind, "refused");
        }
      }),
      FUZZ,
    );
  });
});

describe("an IPv6 address", () => {
  it("is refused with brackets or without, with a zone or without", () => {
    const group = fc.nat(0xffff).map((value) => value.toString(16));
    const address = fc.oneof(
      fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":")),
      fc.array(group, { maxLength: 3 }).map((groups) => `::${groups.join(":")}`),
      fc.array(group, { minLength: 1, maxLength: 3 }).map((groups) => `${groups.join(":")}::`),
    );
    const zone = fc.constantFrom("", "%eth0", "%25eth0", "%1");
    fc.assert(
      fc.property(address, zone, fc.boolean(), (text, suffix, bracketed) => {
        const host = bracketed ? `[${text}${suffix}]` : `${text}${suffix}`;
        assert.deepEqual(parseAuthority(`${host}:443`), { kind: "refused", reason: "IP_LITERAL" });
      }),
      FUZZ,
    );
  });
});

describe("a long text", () => {
  it("is judged in time that grows no faster than it", () => {
    // A hundred times the longest head. What backtracks or copies by the square takes minutes.
    const length = 1_638_400;
    const started = process.hrtime.bigint();
    for (const unit of [
      "a",
      "a.",
      "1.",
      "0x",
      ":",
      "a:",
      "%",
      "[",
      "ü",
      "１.",
      "-",
      "xn--",
      "f:.",
    ]) {
      const text = unit.repeat(Math.ceil(length / unit.length));
      assert.equal(parseAuthority(text).kind, "refused");
      assert.equal(parseAuthority(`${text}:443`).kind, "refused");
    }
    const milliseconds = Number((process.hrtime.bigint() - started) / 1_000_000n);
    assert.ok(milliseconds < 20_000, `${milliseconds} ms`);
  });
});
