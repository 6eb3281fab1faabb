import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { IpAddress } from "./address.js";
import { BLOCKS } from "./blocks.js";
import { classifyAddress } from "./classify.js";
import { formatIp } from "./ip-text.js";
import { fromNumber, rangeOf, toNumber } from "./testing/numbers.js";

const PEER = `
import ipaddress, sys
for line in sys.stdin:
    print(int(ipaddress.ip_address(line.strip()).is_global))
`;

/**
 * Where Drydock refuses and Python's is_global doesn't, in one of its versions from 3.11 on. Its
 * list is of blocks that are private; what is in no list is global there, such as every IPv6
 * address outside 2000::/3 that no RFC gave a purpose.
 */
const STRICTER: readonly string[] = [
  "224.0.0.0/4", // multicast is a property of its own there
  "ff00::/8",
  "192.88.99.0/24",
  "168.63.129.16/32", // metadata services with public addresses
  "192.80.8.124/32",
  "2002::/16", // in the list since 3.12.4
  "3fff::/20", // in the list since 3.14
  "192.0.0.0/24", // only some blocks of it before 3.12.4
];

/** Where the registry says Globally Reachable and a Python before 3.12.4 doesn't. */
const LOOSER: readonly string[] = [
  "192.0.0.9/32",
  "192.0.0.10/32",
  "2001:1::1/128",
  "2001:1::2/128",
  "2001:1::3/128", // in the list of exceptions since 3.14
  "2001:3::/32",
  "2001:4:112::/48",
  "2001:20::/28",
  "2001:30::/28",
];

const isIn = (ip: IpAddress, blocks: readonly string[]): boolean =>
  blocks.some((block) => {
    const { family, first, last } = rangeOf(block);
    const value = toNumber(ip);
    return family === ip.family && first <= value && value <= last;
  });

/** Python answers about 200,000 a second; beyond it a soak adds nothing. */
const MAX_RANDOM = 200_000;

/** All boundaries and their neighbours, then random addresses in blocks and anywhere. */
const sample = (): readonly IpAddress[] => {
  const ranges = BLOCKS.map(({ text }) => rangeOf(text));
  const boundaries = ranges.flatMap(({ family, first, last }) =>
    [first - 1n, first, last, last + 1n].flatMap((value) => fromNumber(family, value) ?? []),
  );
  const inside = fc
    .constantFrom(...ranges)
    .chain(({ family, first, last }) =>
      fc.bigInt(first, last).map((value) => fromNumber(family, value)),
    );
  const anywhere = fc.oneof(
    fc.bigInt(0n, 2n ** 32n - 1n).map((value) => fromNumber(4, value)),
    fc.bigInt(0n, 2n ** 128n - 1n).map((value) => fromNumber(6, value)),
  );
  const random = fc.sample(fc.oneof(inside, anywhere), {
    numRuns: Math.min(profile.fuzz * 10, MAX_RANDOM),
    seed: profile.seed,
  });
  return [...boundaries, ...random.flatMap((ip) => ip ?? [])];
};

describe("beside Python's ipaddress", () => {
  it("an address is global in both or in neither, but for the blocks that are listed", () => {
    const addresses = sample();
    const { status, stdout, stderr } = spawnSync("python3", ["-c", PEER], {
      input: `${addresses.map(formatIp).join("\n")}\n`,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    assert.equal(status, 0, stderr);
    const answers = stdout.trimEnd().split("\n");
    assert.equal(answers.length, addresses.length);

    let both = 0;
    for (const [index, ip] of addresses.entries()) {
      const theirs = answers[index] === "1";
      const found = classifyAddress(ip);
      const ours = found.kind === "global";
      if (ours === theirs) {
        both += ours ? 1 : 0;
        continue;
      }
      // An ISATAP address of a private host is global to Python too; the mechanism is the name.
      const isatap = found.kind === "special" && found.name.startsWith("ISATAP");
      assert.ok(
        ours ? isIn(ip, LOOSER) : isatap || isOutside(ip) || isIn(ip, STRICTER),
        `${formatIp(ip)}: Drydock says ${JSON.stringify(found)}, Python ${theirs}`,
      );
    }
    // The control: the two agree that something is global.
    assert.ok(both > 100);
  });
});

const isOutside = (ip: IpAddress): boolean => ip.family === 6 && !isIn(ip, ["2000::/3"]);
