import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { listArchive } from "../testing/fixture.js";
import { type ArchiveEntry, byPath, impliedDirectories } from "./entry.js";
import { END_OF_ARCHIVE, tarHeader } from "./header.js";
import { archiveTime, FIXED_TIME } from "./time.js";
import { ArchiveWriter } from "./writer.js";

const once = async function* (text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
};

describe("ArchiveWriter", () => {
  it("writes what GNU tar and tar-stream read back", async (test) => {
    const directory = temporaryDirectory(test);
    const long = `${"long-name/".repeat(30)}file`;
    const writer = await ArchiveWriter.create(join(directory, "a.tar"), FIXED_TIME);
    await writer.add({ kind: "directory", path: "d" });
    await writer.add({ kind: "file", path: "d/x", size: 3, executable: true }, once("xyz"));
    await writer.add({ kind: "file", path: "empty", size: 0, executable: false });
    await writer.add({ kind: "link", path: "l", target: "d/x" });
    await writer.add({ kind: "file", path: long, size: 1, executable: false }, once("!"));
    await writer.add({ kind: "file", path: "ünï", size: 1, executable: false }, once("?"));
    await writer.add({ kind: "link", path: "m", target: `${"t/".repeat(60)}é` });
    const sealed = await writer.finish();
    assert.deepEqual(await listArchive(sealed.path), [
      "directory 755 d/",
      "file 755 d/x = xyz",
      "file 644 empty = ",
      "symlink 777 l -> d/x",
      `file 644 ${long} = !`,
      "file 644 ünï = ?",
      `symlink 777 m -> ${"t/".repeat(60)}é`,
    ]);
    const listed = execFileSync("tar", ["-tvf", sealed.path], {
      encoding: "utf8",
      env: { LC_ALL: "C.UTF-8", TZ: "UTC" },
    });
    assert.match(listed, /^drwxr-xr-x 0\/0 +0 2000-01-01 00:00 d\/$/m);
    assert.ok(listed.includes(long));
    assert.deepEqual(sealed.counts, { files: 4, directories: 1, links: 2, bytes: 5 });
    assert.equal(sealed.bytes, readFileSync(sealed.path).length);
  });

  it("refuses contents of another size than stated", async (test) => {
    const path = join(temporaryDirectory(test), "a.tar");
    const writer = await ArchiveWriter.create(path, FIXED_TIME);
    await assert.rejects(
      writer.add({ kind: "file", path: "x", size: 4, executable: false }, once("xyz")),
      RangeError,
    );
    await writer.abandon();
  });

  it("does not write into a file that is there already", async (test) => {
    const path = join(temporaryDirectory(test), "a.tar");
    await (await ArchiveWriter.create(path, FIXED_TIME)).finish();
    await assert.rejects(ArchiveWriter.create(path, FIXED_TIME), { code: "EEXIST" });
  });
});

describe("tarHeader", () => {
  const path = fc
    .array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), {
      minLength: 1,
      maxLength: 8,
    })
    .map((names) => names.map((name) => name.replace(/[/\0\s]|^\.+$/g, "_")).join("/"));
  const entry: fc.Arbitrary<ArchiveEntry> = fc.oneof(
    fc.record({ kind: fc.constant("directory" as const), path }),
    fc.record({
      kind: fc.constant("file" as const),
      path,
      size: fc.constant(0),
      executable: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("link" as const), path, target: path }),
  );

  it("carries every path and target exactly", async (test) => {
    const { extract } = await import("tar-stream");
    test.diagnostic(`runs ${profile.fuzz}`);
    await fc.assert(
      fc.asyncProperty(entry, async (expected) => {
        const reader = extract();
        reader.end(Buffer.concat([tarHeader(expected, FIXED_TIME), END_OF_ARCHIVE]));
        for await (const { header } of reader) {
          assert.equal(header.name.replace(/\/$/, ""), expected.path);
          assert.equal(header.linkname ?? "", expected.kind === "link" ? expected.target : "");
          assert.deepEqual([header.uid, header.gid, header.uname, header.gname], [0, 0, "", ""]);
          reader.destroy();
          return;
        }
        assert.fail("no member was read");
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

describe("order and time", () => {
  it("puts every directory before what it holds", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab!~](\/[ab!~]){0,4}$/)), (paths) => {
        const all = [...new Set([...paths, ...impliedDirectories(paths)])]
          .map((path) => ({ path }))
          .sort(byPath)
          .map(({ path }) => path);
        for (const [index, path] of all.entries()) {
          const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
          if (parent !== "") assert.ok(all.indexOf(parent) < index && all.includes(parent));
        }
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("keeps a commit's time where tar and zip can hold it", () => {
    assert.equal(archiveTime(1_700_000_000), 1_700_000_000);
    for (const odd of [-1, 0, 1e15, Number.NaN, 2 ** 60])
      assert.equal(archiveTime(odd), FIXED_TIME);
  });
});
