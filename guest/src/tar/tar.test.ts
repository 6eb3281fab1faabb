import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, it } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import { parseGlob } from "@drydock/wire";
import fc from "fast-check";
import type { Entry } from "./format.js";
import { packMatches } from "./pack.js";
import { TarReader } from "./read.js";
import { Unpacker } from "./unpack.js";
import { endOfArchive, entryHeader } from "./write.js";

const OWNER = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const LIMITS = { files: 1000, bytes: 1e8, depth: 32, pathBytes: 1000 };

interface Part extends Partial<Entry> {
  readonly path: string;
  readonly content?: string;
}

const archive = (...parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ content = "", ...part }) => {
      const bytes = Buffer.from(content, "latin1");
      const entry = { kind: "file", mode: 0o644, target: "", ...part, size: bytes.length } as const;
      return [entryHeader(entry), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
    }),
    endOfArchive(),
  ]);

const unpack = (directory: string, ...pieces: readonly Buffer[]) => {
  const unpacker = new Unpacker(directory, OWNER);
  const reader = new TarReader(unpacker);
  try {
    for (const piece of pieces) reader.push(piece);
    reader.end();
    return unpacker.complete();
  } finally {
    unpacker.close();
  }
};

const unsafe = { code: "unsafe-archive" };

describe("a tar stream", () => {
  it("of the system's tar is unpacked as tar would, in any segmentation", (test) => {
    const directory = temporaryDirectory(test);
    const source = `${directory}/source`;
    const long = `${"d".repeat(90)}/${"e".repeat(90)}/${"f".repeat(200)}`;
    mkdirSync(`${source}/${"d".repeat(90)}/${"e".repeat(90)}`, { recursive: true });
    writeFileSync(`${source}/${long}`, "long");
    writeFileSync(`${source}/run`, "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(`${source}/ü`, Buffer.alloc(70_000, 3));
    symlinkSync("run", `${source}/link`);
    const tar = execFileSync("tar", ["--format=posix", "-cf", "-", "-C", source, "."]);
    let turn = 0;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 40 }), (sizes) => {
        turn += 1;
        const target = `${directory}/out${turn}`;
        mkdirSync(target);
        const pieces: Buffer[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(tar.subarray(at, at + size));
          at += size;
        }
        const counts = unpack(target, ...pieces, tar.subarray(at));
        assert.deepEqual(counts, { files: 4, bytes: 70_014 });
        execFileSync("diff", ["-r", source, target]);
        assert.equal(lstatSync(`${target}/run`).mode & 0o777, 0o755);
        assert.equal(readlinkSync(`${target}/link`), "run");
      }),
      { numRuns: Math.min(profile.fuzz, 30), seed: profile.seed },
    );
  });

  for (const [what, part] of [
    ["an absolute path", { path: "/etc/x" }],
    ["a path upwards", { path: "../x" }],
    ["a path upwards in the middle", { path: "a/../../x" }],
    ["no name", { path: "." }],
    ["a path that is too long", { path: "a/".repeat(3000) }],
    ["a link without a target", { path: "l", kind: "symlink" }],
  ] as const) {
    it(`with ${what} is refused`, (test) => {
      const directory = temporaryDirectory(test);
      assert.throws(() => unpack(directory, archive(part)), unsafe);
      // The control: the same archive with a harmless entry.
      assert.equal(unpack(directory, archive({ ...part, path: "ok", target: "x" })).files, 1);
    });
  }

  it("never writes through a link of its own", (test) => {
    const directory = temporaryDirectory(test);
    const outside = `${directory}/outside`;
    const target = `${directory}/in`;
    mkdirSync(outside);
    mkdirSync(target);
    const link = { path: "door", kind: "symlink", target: outside } as const;
    const attack = archive(link, { path: "door/file", content: "owned" });
    assert.throws(() => unpack(target, attack));
    assert.equal(existsSync(`${outside}/file`), false);
    // The control: without the link the same file is written.
    unpack(`${directory}/in`, archive({ path: "window/file", content: "fine" }));
    assert.equal(readFileSync(`${target}/window/file`, "utf8"), "fine");
  });

  it("never writes through a link that lies there already", (test) => {
    const directory = temporaryDirectory(test);
    const target = `${directory}/in`;
    mkdirSync(target);
    mkdirSync(`${directory}/outside`);
    symlinkSync(`${directory}/outside`, `${target}/door`);
    symlinkSync(`${directory}/outside/file`, `${target}/file`);
    assert.throws(() => unpack(target, archive({ path: "door/file", content: "owned" })));
    unpack(target, archive({ path: "file", content: "replaced" }));
    assert.equal(existsSync(`${directory}/outside/file`), false);
    assert.equal(lstatSync(`${target}/file`).isFile(), true);
  });

  it("brings no setuid, setgid or sticky bit", (test) => {
    const directory = temporaryDirectory(test);
    unpack(directory, archive({ path: "su", mode: 0o7755, content: "x" }));
    assert.equal(lstatSync(`${directory}/su`).mode & 0o7777, 0o755);
  });

  it("with devices, hard links or pipes is refused", (test) => {
    const directory = temporaryDirectory(test);
    for (const type of ["1", "3", "4", "6", "7", "L", "S"]) {
      const tar = archive({ path: "x" });
      tar.write(type, 156, "latin1");
      assert.throws(() => unpack(directory, tar), unsafe, type);
    }
  });

  it("that ends early or goes on after its end is refused", (test) => {
    const directory = temporaryDirectory(test);
    const tar = archive({ path: "a", content: "12345" });
    for (const length of [100, 512, 514, 1024, 1536]) {
      assert.throws(() => unpack(directory, tar.subarray(0, length)), unsafe, `${length}`);
    }
    assert.throws(() => unpack(directory, tar, tar), unsafe);
    assert.equal(unpack(directory, tar).files, 1);
  });

  it("of random bytes or with changed bytes never leaves the directory", (test) => {
    const directory = temporaryDirectory(test);
    const tar = archive({ path: "a/b", content: "x" }, { path: "c", kind: "symlink", target: "a" });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: tar.length - 1 }),
        fc.integer({ min: 0, max: 255 }),
        fc.uint8Array({ maxLength: 1024 }),
        (at, value, bytes) => {
          const inner = `${directory}/x/y/z`;
          mkdirSync(inner, { recursive: true });
          const changed = Buffer.from(tar);
          changed[at] = value;
          for (const pieces of [[changed], [Buffer.from(bytes)]]) {
            try {
              unpack(inner, ...pieces);
            } catch (error) {
              assert.ok(error instanceof Error);
            }
          }
          assert.deepEqual(
            execFileSync("ls", ["-A", directory, `${directory}/x`, `${directory}/x/y`], UTF8),
            `${directory}:\nx\n\n${directory}/x:\ny\n\n${directory}/x/y:\nz\n`,
          );
        },
      ),
      { numRuns: Math.min(profile.fuzz, 200), seed: profile.seed },
    );
  });
});

const UTF8 = { encoding: "utf8" } as const;

describe("what is collected", () => {
  const pack = (root: string, globs: readonly string[], limits = LIMITS) => {
    const result = { files: 0, bytes: 0, skipped: 0, truncated: false };
    const tar = Buffer.concat([...packMatches(root, globs.map(parseGlob), limits, result)]);
    const names = execFileSync("tar", ["-tf", "-"], { input: tar, encoding: "utf8" });
    return { tar, result, names: names.split("\n").slice(0, -1) };
  };
  const tree = (test: { after(fn: () => void): void }): string => {
    const root = `${temporaryDirectory(test)}/root`;
    mkdirSync(`${root}/dist/deep`, { recursive: true });
    writeFileSync(`${root}/dist/a.js`, "a".repeat(100_000));
    writeFileSync(`${root}/dist/deep/${"n".repeat(150)}`, "long name");
    writeFileSync(`${root}/b.log`, "log");
    symlinkSync("/etc/passwd", `${root}/dist/out`);
    execFileSync("mkfifo", [`${root}/dist/pipe`]);
    return root;
  };

  it("is in order, complete, and the same bytes each time", (test) => {
    const root = tree(test);
    const { tar, names, result } = pack(root, ["dist", "*.log"]);
    assert.deepEqual(names, [
      "b.log",
      "dist/",
      "dist/a.js",
      "dist/deep/",
      `dist/deep/${"n".repeat(150)}`,
      "dist/out",
    ]);
    assert.deepEqual(result, { files: 6, bytes: 100_012, skipped: 1, truncated: false });
    assert.ok(tar.equals(pack(root, ["dist", "*.log"]).tar));
    const back = `${root}-back`;
    mkdirSync(back);
    execFileSync("tar", ["-xf", "-", "-C", back], { input: tar });
    assert.equal(readlinkSync(`${back}/dist/out`), "/etc/passwd");
    assert.equal(readFileSync(`${back}/dist/a.js`).length, 100_000);
  });

  it("follows no link out of the root", (test) => {
    const root = tree(test);
    mkdirSync(`${root}-secret`);
    writeFileSync(`${root}-secret/key`, "secret");
    symlinkSync(`${root}-secret`, `${root}/door`);
    const { names, tar } = pack(root, ["door/**", "door"]);
    assert.deepEqual(names, ["door"]);
    assert.equal(tar.includes("secret\n"), false);
  });

  it("stops at each limit and says so", (test) => {
    const root = tree(test);
    for (const change of [{ files: 2 }, { bytes: 99_999 }, { depth: 2 }, { pathBytes: 100 }]) {
      const { result } = pack(root, ["**"], { ...LIMITS, ...change });
      assert.equal(result.truncated, true, JSON.stringify(change));
    }
    assert.equal(pack(root, ["**"]).result.truncated, false);
  });

  it("keeps names that aren't UTF-8", (test) => {
    const root = temporaryDirectory(test);
    const name = Buffer.from("caf\xe9", "latin1");
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), "x");
    const { tar } = pack(root, ["**"]);
    assert.ok(tar.subarray(0, 4).equals(name));
  });
});
