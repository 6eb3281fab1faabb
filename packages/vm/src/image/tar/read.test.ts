import assert from "node:assert/strict";
import { test } from "node:test";
import { DrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { pack } from "tar-stream";
import { pax, type TestEntry, tarOf } from "../testing/tar.js";
import { createTarReader, type TarEntry } from "./read.js";

const LIMITS = { bytes: 1024 ** 2, entries: 1000 };

type Read = TarEntry & { readonly content: string };

const read = (bytes: Buffer, cuts: readonly number[] = []): Read[] => {
  const found: Read[] = [];
  const reader = createTarReader(LIMITS, (entry) => {
    const pieces: Buffer[] = [];
    return {
      write: (piece) => pieces.push(Buffer.from(piece)),
      end: () => found.push({ ...entry, content: Buffer.concat(pieces).toString("latin1") }),
    };
  });
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    reader.push(bytes.subarray(at, at + cut));
    at += cut;
  }
  reader.push(bytes.subarray(at));
  reader.end();
  return found;
};

const refuses = (code: string, bytes: Buffer): void =>
  assert.throws(
    () => read(bytes),
    (error) => error instanceof DrydockError && error.code === code,
  );

test("reads what tar-stream packs, however the bytes arrive", async () => {
  // A trailing slash marks a directory, which tar-stream leaves to its caller.
  const name = fc.stringMatching(/^[a-zA-Z0-9äß/._-]{0,180}[a-z]$/);
  const entry = fc.record({
    name,
    content: fc.uint8Array({ maxLength: 1500 }),
    // tar-stream cuts larger ones of both; a test below reads them from bytes of our own.
    uid: fc.nat(0o777777),
    mtime: fc.nat(2 ** 31 - 1),
    mode: fc.integer({ min: 1, max: 0o7777 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 6 }),
      fc.array(fc.nat(1200)),
      async (entries, cuts) => {
        const packer = pack();
        for (const { content, mtime, ...header } of entries) {
          packer.entry(
            { ...header, type: "file", mtime: new Date(mtime * 1000), size: content.length },
            Buffer.from(content),
          );
        }
        packer.finalize();
        const pieces: Buffer[] = [];
        for await (const piece of packer) pieces.push(piece as Buffer);
        const found = read(Buffer.concat(pieces), cuts);
        assert.deepEqual(
          found.map(({ path, content, attributes }) => ({ path, content, ...attributes })),
          entries.map(({ name, content, uid, mtime, mode }) => ({
            path: name,
            content: Buffer.from(content).toString("latin1"),
            mode,
            uid,
            gid: 0,
            mtime,
          })),
        );
      },
    ),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("any bytes are read or refused with a code, never more", () => {
  const good = tarOf([
    { name: "a", content: "x".repeat(700) },
    pax({ path: "long", mtime: "1.5", "SCHILY.xattr.user.a": "b" }),
    { name: "b", type: "2", link: "a" },
    { name: "d/", type: "5" },
  ]);
  const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 8 });
  fc.assert(
    fc.property(damage, fc.nat(good.length), fc.boolean(), (changes, cut, fixSums) => {
      const bytes = Buffer.from(good.subarray(0, good.length - (cut % 3 === 0 ? cut : 0)));
      for (const [at, value] of changes) if (at < bytes.length) bytes.writeUInt8(value, at);
      if (fixSums) repairChecksums(bytes);
      try {
        read(bytes);
      } catch (error) {
        assert.ok(error instanceof DrydockError, String((error as Error).stack));
      }
    }),
    { numRuns: profile.fuzz * 5, seed: profile.seed },
  );
});

/** Lets the fuzzer past the checksum, to the fields behind it. */
const repairChecksums = (bytes: Buffer): void => {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    if (bytes.toString("latin1", at + 257, at + 262) !== "ustar") continue;
    bytes.write("        ", at + 148, "latin1");
    const sum = bytes.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, at + 148, "latin1");
  }
};

test("long names and large numbers come in three notations", () => {
  const long = "n".repeat(300);
  const cases: readonly (readonly TestEntry[])[] = [
    [pax({ path: long }), { name: "short" }],
    [{ name: "././@LongLink", type: "L", content: `${long}\0` }, { name: "short" }],
  ];
  for (const entries of cases) assert.equal(read(tarOf(entries))[0]?.path, long);
  assert.equal(read(tarOf([pax({ uid: "3000000" }), { name: "a" }]))[0]?.attributes.uid, 3_000_000);
  const base256 = tarOf([{ name: "a" }]);
  base256.fill(0, 108, 116);
  base256.writeUInt8(0x80, 108);
  base256.writeUInt32BE(3_000_000, 112);
  repairChecksums(base256);
  assert.equal(read(base256)[0]?.attributes.uid, 3_000_000);
});

test("times before 1970 become 1970, negative sizes and owners are refused", () => {
  const negative = (offset: number, length: number): Buffer => {
    const bytes = tarOf([{ name: "a" }]);
    bytes.fill(0xff, offset, offset + length);
    repairChecksums(bytes);
    return bytes;
  };
  assert.equal(read(negative(136, 12))[0]?.attributes.mtime, 0);
  refuses("IMAGE_FORMAT", negative(124, 12));
  refuses("IMAGE_FORMAT", negative(108, 8));
});

test("what is not a plain archive is refused by name", () => {
  read(tarOf([{ name: "a", content: "b" }]));
  refuses("IMAGE_FORMAT", Buffer.from("x".repeat(512)));
  refuses("IMAGE_FORMAT", tarOf([{ name: "a", checksum: "0000000\0" }]));
  refuses("IMAGE_FORMAT", tarOf([{ name: "a" }], false));
  refuses("IMAGE_FORMAT", tarOf([{ name: "a", content: "b" }]).subarray(0, 600));
  refuses("IMAGE_FORMAT", Buffer.concat([tarOf([]), Buffer.from("trailing")]));
  refuses("IMAGE_FORMAT", tarOf([pax({ path: "b" })]));
  refuses("IMAGE_FORMAT", tarOf([pax({ path: "b" }), pax({ path: "c" }), { name: "a" }]));
  refuses("IMAGE_FORMAT", tarOf([pax({ "GNU.sparse.major": "1" }), { name: "a" }]));
  refuses("IMAGE_FORMAT", tarOf([pax({ path: "b" }, "g"), { name: "a" }]));
  refuses("IMAGE_FORMAT", tarOf([pax({ size: "-1" }), { name: "a" }]));
  refuses("IMAGE_FORMAT", tarOf([{ name: "a", type: "2", link: "b", content: "body" }]));
  refuses("IMAGE_DEVICE", tarOf([{ name: "a", type: "4" }]));
  read(tarOf([pax({ comment: "commit" }, "g"), { name: "a" }]));
});

test("extended attributes are counted, since they are not kept", () => {
  const [entry] = read(
    tarOf([pax({ "SCHILY.xattr.security.capability": "cap" }), { name: "ping" }]),
  );
  assert.equal(entry?.droppedAttributes, 1);
});
