import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { BLOCKS, contains } from "./blocks.js";
import { IANA_IPV4_SPECIAL_PURPOSE, IANA_IPV6_SPECIAL_PURPOSE } from "./special-purpose-table.js";
import { rangeOf, toNumber } from "./testing/numbers.js";
import { readRegistry, renderTable } from "./testing/registry.js";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const IPV4 = read("registry/iana-ipv4-special-registry-1.csv");
const IPV6 = read("registry/iana-ipv6-special-registry-1.csv");

describe("the table of special-purpose blocks", () => {
  it("is what the generator makes of IANA's files", () => {
    assert.equal(read("src/address/special-purpose-table.ts"), renderTable(IPV4, IPV6));
  });

  it("holds every row: 25 of IPv4, of which one is two blocks, and 25 of IPv6", () => {
    assert.equal(IANA_IPV4_SPECIAL_PURPOSE.length, 26);
    assert.equal(IANA_IPV6_SPECIAL_PURPOSE.length, 25);
  });

  it("holds each block's prefix, with no bit behind its length", () => {
    for (const block of BLOCKS) {
      assert.equal(toNumber(block.prefix), rangeOf(block.text).first);
      assert.equal(contains(block, block.prefix), true);
      assert.ok(block.length <= block.prefix.bytes.length * 8);
      const bits = [...block.prefix.bytes]
        .map((byte) => byte.toString(2).padStart(8, "0"))
        .join("");
      assert.doesNotMatch(bits.slice(block.length), /1/, block.text);
    }
  });
});

describe("reading a registry", () => {
  const HEADER = IPV4.slice(0, IPV4.indexOf("\n") + 1);
  const ROW = "192.0.2.0/24,Documentation,[RFC5737],2010-01,N/A,False,False,False,False,False\n";

  it("takes a row, a note, a doubled quote and a line end in a cell", () => {
    assert.deepEqual(readRegistry(HEADER + ROW), [
      { block: "192.0.2.0/24", name: "Documentation", globallyReachable: false },
    ]);
    assert.deepEqual(
      readRegistry(
        `${HEADER}"10.0.0.0/8 [2], 11.0.0.0/8","""a""","b\n c",,,,,,True [1],True\n`,
      ).map((row) => [row.block, row.name, row.globallyReachable]),
      [
        ["10.0.0.0/8", "a", true],
        ["11.0.0.0/8", "a", true],
      ],
    );
  });

  for (const [what, csv] of [
    ["another column", HEADER.replace("Globally Reachable", "Global") + ROW],
    ["a missing cell", HEADER + ROW.replace("N/A,", "")],
    ["one cell more", HEADER + ROW.replace("\n", ",x\n")],
    ["another word than True", HEADER + ROW.replace("False,False\n", "Yes,False\n")],
    ["a block that is none", HEADER + ROW.replace("/24", "")],
    ["a last line without an end", HEADER + ROW.trimEnd()],
    ["a stray quote", HEADER + ROW.replace("Documentation", 'Docu"mentation')],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => readRegistry(csv));
    });
  }
});
