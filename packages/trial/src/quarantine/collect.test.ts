import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { digestOf } from "@drydock/evidence";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { pack } from "tar-stream";
import { collectArtifacts } from "./collect.js";
import { openDirectoryStore } from "./directory-store.js";
import type { RefusalRule, StopRule } from "./rule.js";
import { chunksOf, collect, END, member, memoryStore, pax, policyWith } from "./testing.js";

describe("collectArtifacts keeps", () => {
  it("files under their digest, links as data, and nothing for directories", async () => {
    const result = await collect([
      member({ name: "out/", type: "5", mode: 0o755 }),
      member({ name: "out/a", body: "hello" }),
      member({ name: "out/run", body: "hello", mode: 0o755 }),
      member({ name: "out/link", type: "2", target: "a" }),
      END,
    ]);
    const digest = digestOf(Buffer.from("hello"));
    assert.deepEqual(result.files, [
      { path: "out/a", bytes: 5, digest, executable: false },
      { path: "out/run", bytes: 5, digest, executable: true },
    ]);
    assert.deepEqual(result.links, [{ path: "out/link", target: "a" }]);
    assert.deepEqual([...result.stored], [[digest.slice(7), Buffer.from("hello")]]);
    assert.deepEqual([result.refused, result.stopped, result.bytes], [0, undefined, 10]);
  });

  it("what GNU tar and tar-stream write", async (test) => {
    const directory = temporaryDirectory(test);
    const long = `${"d".repeat(90)}/${"e".repeat(90)}/${"f".repeat(90)}`;
    mkdirSync(join(directory, long), { recursive: true });
    writeFileSync(join(directory, long, "ünï"), "x".repeat(1000));
    const gnu = execFileSync("tar", ["--format=posix", "-cf", "-", "d".repeat(90)], {
      cwd: directory,
    });
    const first = await collect([gnu]);
    assert.deepEqual(
      first.files.map(({ path, bytes }) => [path, bytes]),
      [[`${long}/ünï`, 1000]],
    );
    const packer = pack();
    packer.entry({ name: `${long}/ünï` }, "text");
    packer.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of packer) chunks.push(chunk as Buffer);
    const second = await collect(chunks);
    assert.deepEqual(
      second.files.map(({ path }) => path),
      [`${long}/ünï`],
    );
    assert.equal(second.stopped, undefined);
  });

  it("shows every byte of what it keeps to the watch, and none of what it refuses", async () => {
    const seen: string[] = [];
    const watch = {
      begin: (path: string) => (chunk: Buffer) => void seen.push(`${path}=${chunk}`),
    };
    await collect(
      [member({ name: "a", body: "1" }), member({ name: "../b", body: "2" }), END],
      policyWith(),
      watch,
    );
    assert.deepEqual(seen, ["a=1"]);
  });
});

describe("collectArtifacts refuses", () => {
  const file = (name: string | Buffer): Buffer => member({ name, body: "x" });
  const refused: readonly [string, readonly Buffer[], RefusalRule][] = [
    ["an absolute path", [file("/etc/cron.d/x")], "ABSOLUTE"],
    ["a path with ..", [file("a/../../x")], "TRAVERSAL"],
    ["a path with .", [file("./x")], "TRAVERSAL"],
    [".. hidden in a pax header", [pax([["path", "../x"]]), file("harmless")], "TRAVERSAL"],
    [".. hidden in the prefix", [member({ prefix: "..", name: "x" })], "TRAVERSAL"],
    ["an empty name", [file("")], "EMPTY"],
    ["a doubled slash", [file("a//b")], "EMPTY_COMPONENT"],
    ["a control character", [file("a\x1b[2Jb")], "CONTROL_CHARACTER"],
    ["a NUL with a hidden tail", [file("ok\0../../x")], "CONTROL_CHARACTER"],
    ["a NUL in a pax path", [pax([["path", "ok\0x"]]), file("y")], "CONTROL_CHARACTER"],
    ["a direction override", [file("a\u202egpj.sh")], "CONTROL_CHARACTER"],
    ["bytes that are no UTF-8", [file(Buffer.from([0x61, 0xff]))], "NOT_UTF8"],
    [".git", [file(".git/hooks/post-checkout")], "DOT_GIT"],
    [".git in another spelling", [file("a/.GIT/config")], "DOT_GIT"],
    ["a device name of Windows", [file("out/NUL.txt")], "NOT_PORTABLE"],
    ["a backslash", [file("a\\..\\b")], "NOT_PORTABLE"],
    ["a stream name", [file("a:b")], "NOT_PORTABLE"],
    ["a trailing dot", [file("a./b")], "NOT_PORTABLE"],
    ["33 names", [file(`${"d/".repeat(32)}x`)], "TOO_DEEP"],
    ["a long path", [pax([["path", `${"d".repeat(200)}/`.repeat(6)]]), file("x")], "PATH_TOO_LONG"],
    ["a long name", [pax([["path", "d".repeat(256)]]), file("x")], "COMPONENT_TOO_LONG"],
    ["a hard link", [member({ name: "h", type: "1", target: "/etc/shadow" })], "HARD_LINK"],
    ["a character device", [member({ name: "d", type: "3" })], "DEVICE"],
    ["a block device", [member({ name: "d", type: "4" })], "DEVICE"],
    ["a FIFO", [member({ name: "d", type: "6" })], "DEVICE"],
    ["an absolute link", [member({ name: "l", type: "2", target: "/etc" })], "ABSOLUTE_TARGET"],
    ["a link out", [member({ name: "a/l", type: "2", target: "../../x" })], "ESCAPING_TARGET"],
    ["a winding link", [member({ name: "a/l", type: "2", target: "s/../x" })], "WINDING_TARGET"],
    ["a setuid file", [member({ name: "s", mode: 0o4755 })], "SETUID"],
    ["a sparse file", [pax([["GNU.sparse.major", "1"]]), file("s")], "PAX_KEY"],
    ["another character set", [pax([["hdrcharset", "BINARY"]]), file("s")], "PAX_KEY"],
  ];
  for (const [what, parts, rule] of refused) {
    it(`${what}, and goes on`, async () => {
      const result = await collect([...parts, file("fine"), END]);
      assert.deepEqual(
        result.findings.map((finding) => finding.rule),
        [rule],
      );
      assert.deepEqual(
        result.files.map(({ path }) => path),
        ["fine"],
        "positive control",
      );
      assert.equal(result.stored.size, 1);
      assert.match(result.findings[0]?.path ?? "", /^[\x20-\x7e]*…?$/);
    });
  }

  const clashes: readonly [string, readonly Buffer[], RefusalRule][] = [
    ["a second file of the same name", [file("a"), file("a")], "DUPLICATE"],
    ["a name that differs in case", [file("Readme"), file("README")], "CASE_COLLISION"],
    ["a directory that differs in case", [file("Dir/a"), file("dir/b")], "CASE_COLLISION"],
    ["a name that differs in composition", [file("\u00e9"), file("e\u0301")], "CASE_COLLISION"],
    ["a sharp s against two", [file("ß"), file("SS")], "CASE_COLLISION"],
    [
      "a path through a link",
      [member({ name: "l", type: "2", target: "x" }), file("l/a")],
      "KIND_CONFLICT",
    ],
    ["a path through a file", [file("f"), file("f/a")], "KIND_CONFLICT"],
    ["a file in a directory's place", [file("d/a"), file("d")], "KIND_CONFLICT"],
    [
      "a link in a directory's place",
      [file("d/a"), member({ name: "d", type: "2", target: "x" })],
      "KIND_CONFLICT",
    ],
    [
      "a directory in a link's place",
      [member({ name: "l", type: "2", target: "x" }), member({ name: "l", type: "5" })],
      "KIND_CONFLICT",
    ],
  ];
  for (const [what, [first, second], rule] of clashes) {
    it(what, async () => {
      assert.ok(first !== undefined && second !== undefined);
      const result = await collect([first, second, END]);
      assert.deepEqual(
        result.findings.map((finding) => finding.rule),
        [rule],
      );
      assert.equal(result.files.length + result.links.length, 1);
      const control = await collect([second, END]);
      assert.equal(control.refused, 0, "positive control: alone it passes");
    });
  }

  it("what no glob declares", async () => {
    const parts = [file("dist/a.tgz"), file("dist/a.txt"), file("other/a.tgz"), END];
    const result = await collect(parts, policyWith({}, ["dist/*.tgz"]));
    assert.deepEqual(
      result.files.map(({ path }) => path),
      ["dist/a.tgz"],
    );
    assert.deepEqual(result.findings, [
      { rule: "UNDECLARED", path: "dist/a.txt" },
      { rule: "UNDECLARED", path: "other/a.tgz" },
    ]);
  });
});

describe("collectArtifacts stops", () => {
  const good = member({ name: "good", body: "x" });
  const bomb = member({ name: "bomb", size: 8 ** 11 - 1 });
  const stops: readonly [string, readonly Buffer[], StopRule][] = [
    ["at a wrong checksum", [member({ name: "a", checksum: 1 }), END], "TAR_MALFORMED"],
    ["at another magic", [member({ name: "a", magic: "ustar  \0" }), END], "TAR_MALFORMED"],
    [
      "at a GNU long name",
      [member({ name: "././@LongLink", type: "L", body: "x" }), END],
      "TAR_MALFORMED",
    ],
    ["at a GNU sparse member", [member({ name: "a", type: "S" }), END], "TAR_MALFORMED"],
    ["at a global pax header", [member({ name: "a", type: "g", body: "x" }), END], "TAR_MALFORMED"],
    ["at a negative size", [member({ name: "a", size: "-0000000001\0" }), END], "TAR_MALFORMED"],
    [
      "at a base-256 size",
      [member({ name: "a", size: "\x80\0\0\0\0\0\0\0\0\0\0\x01" }), END],
      "TAR_MALFORMED",
    ],
    [
      "at a directory with contents",
      [member({ name: "a", type: "5", body: "x" }), END],
      "TAR_MALFORMED",
    ],
    [
      "at a link with contents",
      [member({ name: "a", type: "2", body: "x" }), END],
      "TAR_MALFORMED",
    ],
    ["at a pax size with a sign", [pax([["size", "-1"]]), good, END], "TAR_MALFORMED"],
    [
      "at a pax size for a directory",
      [pax([["size", "5"]]), member({ type: "5" }), END],
      "TAR_MALFORMED",
    ],
    [
      "at a pax key that comes twice",
      [
        pax([
          ["path", "a"],
          ["path", "b"],
        ]),
        good,
        END,
      ],
      "TAR_MALFORMED",
    ],
    ["at a pax header for a pax header", [pax([]), pax([]), good, END], "TAR_MALFORMED"],
    ["at a pax header without a member", [pax([["path", "a"]]), END], "TAR_MALFORMED"],
    [
      "at a pax bomb",
      [member({ type: "x", size: 70_000, body: Buffer.alloc(70_000) }), END],
      "TAR_MALFORMED",
    ],
    [
      "at a record that overruns",
      [member({ type: "x", body: "99 path=x\n" }), END],
      "TAR_MALFORMED",
    ],
    ["at the end of a cut stream", [member({ name: "a", size: 600, body: "x" })], "TAR_TRUNCATED"],
    ["without an end", [good], "TAR_TRUNCATED"],
    ["at half an end", [good, Buffer.alloc(512)], "TAR_TRUNCATED"],
    ["at bytes after the end", [good, END, good], "TAR_TRAILING_DATA"],
    ["at one file too large", [bomb, END], "BYTES_LIMIT"],
  ];
  for (const [what, parts, rule] of stops) {
    it(`${what}, keeping what came before`, async () => {
      const first = member({ name: "first", body: "1" });
      const result = await collect([first, ...parts]);
      assert.equal(result.stopped, rule);
      assert.equal(result.files[0]?.path, "first");
    });
  }

  const many = (count: number, name = (index: number) => `f${index}`): Buffer[] => [
    ...Array.from({ length: count }, (_, index) => member({ name: name(index), body: "12345678" })),
    END,
  ];

  it("at each bound, and not just below it", async () => {
    const cases: readonly [Parameters<typeof policyWith>[0], readonly Buffer[], StopRule][] = [
      [{ files: 3 }, many(4), "FILES_LIMIT"],
      [{ totalBytes: 31 }, many(4), "BYTES_LIMIT"],
      [{ entries: 3 }, many(4, () => "../x"), "ENTRIES_LIMIT"],
      [{ streamBytes: 4 * 1024 + 1023 }, many(4), "STREAM_LIMIT"],
    ];
    for (const [limits, parts, rule] of cases) {
      assert.equal((await collect(parts, policyWith(limits))).stopped, rule);
      const [[name, value] = ["files", 0]] = Object.entries(limits ?? {});
      const control = await collect(parts, policyWith({ [name]: value + 1 }));
      assert.equal(control.stopped, undefined, `${name}: one more is enough`);
    }
  });

  it("asks the guest for no more than it reads: the source is closed", async () => {
    let closed = false;
    const endless = (async function* () {
      try {
        for (let index = 0; ; index += 1) yield member({ name: `f${index}`, body: "x" });
      } finally {
        closed = true;
      }
    })();
    const result = await collectArtifacts(endless, policyWith({ files: 2 }), {
      store: memoryStore(),
    });
    assert.equal(result.stopped, "FILES_LIMIT");
    assert.ok(closed);
  });
});

describe("any archive", () => {
  const text = fc.oneof(
    fc.constantFrom("a", "b/c", "../x", "/x", "A", ".git/x", "l", "l/x", "x\0y", "ß", "SS"),
    fc.string({ unit: "binary", maxLength: 20 }),
  );
  const raw = fc.oneof(
    fc
      .record({
        name: text,
        type: fc.constantFrom("0", "0", "0", "1", "2", "3", "5", "x", "L", "g", "\0"),
        body: fc.string({ maxLength: 40 }),
        target: text,
        mode: fc.constantFrom(0o644, 0o755, 0o4755),
      })
      .map((fields) =>
        member({
          ...fields,
          body: fields.type === "0" || fields.type === "x" ? fields.body : "",
          target: Buffer.from(fields.target).subarray(0, 99).toString("latin1"),
        }),
      ),
    fc
      .tuple(text, fc.constantFrom("path", "linkpath", "size", "comment", "x"))
      .map(([value, key]) => pax([[key, value]])),
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
  );

  it("is collected without an exception, safely, whatever the chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(raw, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 }),
        async (parts, sizes) => {
          const bytes = Buffer.concat([...parts, END]);
          const run = async (cut: readonly number[]) => {
            const store = memoryStore();
            const result = await collectArtifacts(chunksOf(bytes, cut), policyWith({ files: 5 }), {
              store,
            });
            return { result, stored: store.files };
          };
          const { result, stored } = await run(sizes);
          assert.deepEqual((await run([bytes.length])).result, result, "chunks do not matter");
          assert.ok(result.files.length + result.links.length <= 5);
          const paths = [...result.files, ...result.links].map(({ path }) => path);
          assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, paths.length);
          for (const path of paths) {
            assert.ok(!path.startsWith("/") && !path.includes("\0"));
            assert.ok(!path.split("/").some((name) => name === ".." || /^\.git$/i.test(name)));
          }
          for (const file of result.files) {
            const contents = stored.get(file.digest.slice(7));
            assert.ok(contents !== undefined && contents.length === file.bytes);
            assert.equal(digestOf(contents), file.digest);
          }
        },
      ),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("with flipped bytes is read or refused, never misread past its end", async () => {
    const real = Buffer.concat([
      pax([["path", "dir/é"]]),
      member({ name: "x", body: "contents" }),
      member({ name: "dir/l", type: "2", target: "é" }),
      END,
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(real.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        async (flips) => {
          const bytes = Buffer.from(real);
          for (const [at, value] of flips) bytes[at] = value;
          const result = await collect([bytes]);
          assert.ok(result.bytes <= 8);
        },
      ),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

describe("openDirectoryStore", () => {
  it("writes 0600 files named by digest, and nothing else remains", async (test) => {
    const directory = temporaryDirectory(test);
    const store = await openDirectoryStore(directory);
    const bytes = Buffer.concat([
      member({ name: "a", body: "one", mode: 0o755 }),
      member({ name: "b", body: "one" }),
      member({ name: "cut", size: 600, body: "x" }),
    ]);
    const result = await collectArtifacts(chunksOf(bytes), policyWith(), { store });
    await store.writeFile("artifacts.json", Buffer.from("{}"));
    await store.close();
    assert.equal(result.stopped, "TAR_TRUNCATED");
    const name = digestOf(Buffer.from("one")).slice(7);
    assert.deepEqual(readdirSync(directory).sort(), [name, "artifacts.json"].sort());
    assert.equal(readFileSync(join(directory, name), "utf8"), "one");
    assert.equal(lstatSync(join(directory, name)).mode & 0o777, 0o600);
  });

  it("follows no link that was planted for it", async (test) => {
    const directory = temporaryDirectory(test);
    const outside = join(temporaryDirectory(test), "outside");
    writeFileSync(outside, "untouched");
    symlinkSync(outside, join(directory, ".incoming-0"));
    symlinkSync(outside, join(directory, "artifacts.json"));
    const store = await openDirectoryStore(directory);
    await assert.rejects(store.begin(), { code: "EEXIST" });
    await assert.rejects(store.writeFile("artifacts.json", Buffer.from("x")), { code: "EEXIST" });
    await assert.rejects(store.writeFile("../x", Buffer.from("x")), RangeError);
    await store.close();
    assert.equal(readFileSync(outside, "utf8"), "untouched");
    symlinkSync(directory, `${outside}-dir`);
    await assert.rejects(openDirectoryStore(`${outside}-dir`), { code: "QUARANTINE_DIRECTORY" });
  });
});
