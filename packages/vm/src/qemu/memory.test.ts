import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { packMemory, unpackMemory, usedRuns } from "./memory.js";

const PAGE = 4096;

test("memory is the same after packing and unpacking, and zero pages take no room", async (t) => {
  const directory = temporaryDirectory(t);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 }),
      async (pages) => {
        round += 1;
        const at = (name: string): string => join(directory, `${name}-${round}`);
        const memory = Buffer.concat(pages.map((value) => Buffer.alloc(PAGE, value)));
        writeFileSync(at("memory"), memory);
        const packed = await packMemory(at("memory"), at("packed"), memory.length);
        assert.equal(
          readFileSync(at("packed")).length,
          pages.filter((value) => value !== 0).length * PAGE,
        );
        writeFileSync(at("again"), "");
        truncateSync(at("again"), memory.length);
        await unpackMemory(at("packed"), at("again"), packed);
        assert.ok(readFileSync(at("again")).equals(memory));
      },
    ),
    { numRuns: Math.min(profile.fuzz, 500), seed: profile.seed },
  );
});

test("runs are maximal and in order", () => {
  const chunk = Buffer.concat([0, 1, 1, 0, 2].map((value) => Buffer.alloc(PAGE, value)));
  assert.deepEqual(usedRuns(chunk), [
    [1, 2],
    [4, 1],
  ]);
});

test("a flipped bit in the packed pages is noticed", async (t) => {
  const directory = temporaryDirectory(t);
  const [memory, packed, again] = ["m", "p", "a"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(memory, Buffer.alloc(8 * PAGE, 7));
  const record = await packMemory(memory, packed, 8 * PAGE);
  const bytes = readFileSync(packed);
  bytes.writeUInt8(bytes.readUInt8(5) ^ 1, 5);
  writeFileSync(packed, bytes);
  writeFileSync(again, Buffer.alloc(8 * PAGE));
  await assert.rejects(unpackMemory(packed, again, record), { code: "GOLDEN_CORRUPT" });
});
