import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { AddressClass, IpAddress } from "./address.js";
import { BEYOND_REGISTRY } from "./beyond-registry.js";
import { classifyAddress } from "./classify.js";
import { formatIp, parseIp } from "./ip-text.js";
import { fromNumber, type Range, rangeOf } from "./testing/numbers.js";
import { readRegistry } from "./testing/registry.js";

const ip = (text: string): IpAddress => {
  const parsed = parseIp(text);
  assert.ok(parsed !== null, text);
  return parsed;
};

const read = (name: string) =>
  readRegistry(readFileSync(new URL(`../../registry/${name}`, import.meta.url), "utf8"));

interface Judged extends Range {
  readonly block: string;
  readonly name: string;
  readonly global: boolean;
}

/** Straight from IANA's files and Drydock's additions, in the order that decides between equals. */
const JUDGED: readonly Judged[] = [
  ...BEYOND_REGISTRY.map(({ block, name, global }) => ({ block, name, global })),
  ...[...read("iana-ipv4-special-registry-1.csv"), ...read("iana-ipv6-special-registry-1.csv")].map(
    ({ block, name, globallyReachable }) => ({ block, name, global: globallyReachable }),
  ),
].map((row) => ({ ...row, ...rangeOf(row.block) }));

/** By size of range, reckoned in numbers. None of these addresses embeds an IPv4 address by chance. */
const expected = (family: 4 | 6, value: bigint): Judged => {
  const [first, ...others] = JUDGED.filter(
    (row) => row.family === family && row.first <= value && value <= row.last,
  );
  assert.ok(first !== undefined);
  return others.reduce(
    (best, row) => (row.last - row.first < best.last - best.first ? row : best),
    first,
  );
};

describe("each boundary of each block, and the addresses beside it", () => {
  for (const { block, family, first, last } of JUDGED) {
    it(block, () => {
      let tested = 0;
      for (const value of [first - 1n, first, first + 1n, last - 1n, last, last + 1n]) {
        const address = fromNumber(family, value);
        if (address === null) {
          continue;
        }
        const want = expected(family, value);
        const { embedded: _, ...got } = classifyAddress(address);
        assert.deepEqual(
          got,
          want.global
            ? { kind: "global" }
            : { kind: "special", name: want.name, block: want.block },
          formatIp(address),
        );
        tested++;
      }
      assert.ok(tested >= 4);
    });
  }
});

describe("addresses that everybody knows", () => {
  for (const [text, name] of [
    ["0.0.0.0", "This host on this network"],
    ["0.0.0.1", "This network"],
    ["10.0.0.1", "Private-Use"],
    ["100.64.0.1", "Shared Address Space"],
    ["100.100.100.200", "Metadata (Alibaba)"],
    ["127.0.0.1", "Loopback"],
    ["168.63.129.16", "Metadata (Azure WireServer)"],
    ["169.254.169.254", "Metadata"],
    ["169.254.0.1", "Link Local"],
    ["172.31.255.255", "Private-Use"],
    ["192.0.0.192", "Metadata (Oracle)"],
    ["192.0.0.170", "NAT64/DNS64 Discovery"],
    ["192.0.2.1", "Documentation (TEST-NET-1)"],
    ["192.80.8.124", "Metadata (Packet, Equinix Metal)"],
    ["192.88.99.1", "Deprecated (6to4 Relay Anycast)"],
    ["192.168.1.1", "Private-Use"],
    ["198.19.255.255", "Benchmarking"],
    ["224.0.0.1", "Multicast"],
    ["239.255.255.255", "Multicast"],
    ["240.0.0.1", "Reserved"],
    ["255.255.255.255", "Limited Broadcast"],
    ["::", "Unspecified Address"],
    ["::1", "Loopback Address"],
    ["::2", "IPv4-compatible"],
    ["100::1", "Discard-Only Address Block"],
    ["100:0:0:1::1", "Dummy IPv6 Prefix"],
    ["2001:2::1", "Benchmarking"],
    ["2001:5::1", "IETF Protocol Assignments"],
    ["2001:10::1", "Deprecated (previously ORCHID)"],
    ["2001:db8::1", "Documentation"],
    ["3fff:fff::1", "Documentation"],
    ["4000::1", "Not Global Unicast"],
    ["5f00::1", "Segment Routing (SRv6) SIDs"],
    ["fc00::1", "Unique-Local"],
    ["fd00:ec2::254", "Metadata (AWS)"],
    ["fd20:ce::254", "Metadata (Google)"],
    ["fe80::1", "Link-Local Unicast"],
    ["fec0::1", "Site-Local"],
    ["ff02::1", "Multicast"],
  ] as const) {
    it(`${text} is special`, () => {
      const found = classifyAddress(ip(text));
      assert.equal(found.kind === "special" ? found.name : found.kind, name);
    });
  }

  for (const text of [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "192.0.0.9",
    "192.31.196.1",
    "223.255.255.255",
    "2001:1::1",
    "2001:4:112::1",
    "2001:200::1",
    "2606:4700:4700::1111",
    "2620:4f:8000::1",
    "2a00::1",
    "3fff:1000::1",
  ]) {
    it(`${text} is global`, () => {
      assert.deepEqual(classifyAddress(ip(text)), { kind: "global" });
    });
  }
});

describe("an address of the wrong length", () => {
  it("has no class", () => {
    for (const [family, length] of [
      [4, 0],
      [4, 3],
      [4, 16],
      [6, 4],
      [6, 17],
    ] as const) {
      const bytes = new Uint8Array(length).fill(8);
      assert.throws(() => classifyAddress({ family, bytes }), RangeError);
    }
  });
});

describe("an IPv4 address inside an IPv6 one", () => {
  const GLOBAL: AddressClass = { kind: "global" };
  const PRIVATE: AddressClass = { kind: "special", name: "Private-Use", block: "10.0.0.0/8" };

  for (const [how, withGlobal, withPrivate] of [
    ["IPv4-mapped", "::ffff:8.8.8.8", "::ffff:10.0.0.1"],
    ["IPv4-compatible", "::8.8.8.8", "::10.0.0.1"],
    ["IPv4-translated", "::ffff:0:8.8.8.8", "::ffff:0:10.0.0.1"],
    ["NAT64 well-known", "64:ff9b::8.8.8.8", "64:ff9b::10.0.0.1"],
    ["NAT64 local /96", "64:ff9b:1:808:8:808:808:808", "64:ff9b:1:808:8:808:a00:1"],
    ["6to4", "2002:808:808::1", "2002:a00:1::1"],
    ["Teredo client", "2001:0:808:808:0:0:f7f7:f7f7", "2001:0:808:808:0:0:f5ff:fffe"],
    ["Teredo server", "2001:0:808:808:0:0:f7f7:f7f7", "2001:0:a00:1:0:0:f7f7:f7f7"],
  ] as const) {
    it(`${how}: the outer address is special, and the inner one judged`, () => {
      for (const [text, inner] of [
        [withGlobal, GLOBAL],
        [withPrivate, PRIVATE],
      ] as const) {
        const found = classifyAddress(ip(text));
        assert.equal(found.kind, "special", text);
        assert.deepEqual(found.embedded, inner, text);
      }
    });
  }

  // RFC 6052 §2.4 has these for 192.0.2.33; here it is 10.0.2.33, 64:ff9b:1::/48 and longer.
  for (const [bits, text] of [
    [48, "64:ff9b:1:a00:2:2100::"],
    [56, "64:ff9b:1:800a:0:221:0:0"],
    [64, "64:ff9b:1:808:a:2:2100:0"],
    [96, "64:ff9b:1:808:8:808:a00:221"],
  ] as const) {
    it(`NAT64 with a local prefix of ${bits} bits`, () => {
      const found = classifyAddress(ip(text));
      assert.equal(found.kind, "special");
      assert.equal(found.embedded?.kind, "special");
    });
  }

  it("ISATAP takes the class of the inner address, with either universal bit", () => {
    for (const marker of ["0:5efe", "200:5efe"]) {
      assert.deepEqual(classifyAddress(ip(`2606:4700:0:1:${marker}:8.8.8.8`)), {
        kind: "global",
        embedded: GLOBAL,
      });
      const found = classifyAddress(ip(`2606:4700:0:1:${marker}:10.0.0.1`));
      assert.deepEqual(found, {
        kind: "special",
        name: "ISATAP (RFC 5214 §6.1)",
        block: "2000::/3",
        embedded: PRIVATE,
      });
      const metadata = classifyAddress(ip(`2606:4700:0:1:${marker}:168.63.129.16`));
      assert.equal(metadata.kind, "special");
    }
    // One bit beside the marker there's nothing inside.
    for (const other of ["100:5efe", "200:5eff", "201:5efe", "2:5efe"]) {
      assert.deepEqual(classifyAddress(ip(`2606:4700:0:1:${other}:10.0.0.1`)), { kind: "global" });
    }
  });
});
