import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { digestOf } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { SEAL_LIMITS } from "./limits.js";
import { manifestSource } from "./source/manifest.js";
import { isEligibleForTier } from "./source/result.js";
import { git, listArchive, makeRepository, seal, sealHead, writeFiles } from "./testing/fixture.js";

describe("a sealed directory", () => {
  it("is the commit that HEAD names, as a deterministic archive", async (test) => {
    const repository = makeRepository(test, {
      "a.txt": "a\n",
      "bin/run": "#!/bin/sh\n",
      empty: "",
      "deep/er/x": "x".repeat(5000),
    });
    chmodSync(join(repository, "bin/run"), 0o755);
    symlinkSync("../a.txt", join(repository, "deep/link"));
    git(repository, "add", "-A");
    git(repository, "commit", "-q", "-m", "more");
    git(repository, "remote", "add", "origin", "https://user:secret@Example.org/x.git");
    const sealed = await sealHead(test, repository);
    assert.deepEqual(sealed.identity, {
      claim: "commit",
      from: "directory",
      commit: git(repository, "rev-parse", "HEAD"),
      tree: git(repository, "rev-parse", "HEAD^{tree}"),
      ref: "refs/heads/main",
      prefix: "",
      remote: "https://example.org/x.git",
      bundle: undefined,
    });
    assert.deepEqual(await listArchive(sealed.archive.path), [
      "file 644 a.txt = a\n",
      "directory 755 bin/",
      "file 755 bin/run = #!/bin/sh\n",
      "directory 755 deep/",
      "directory 755 deep/er/",
      `file 644 deep/er/x = ${"x".repeat(5000)}`,
      "symlink 777 deep/link -> ../a.txt",
      "file 644 empty = ",
    ]);
    assert.equal(sealed.archive.digest, digestOf(readFileSync(sealed.archive.path)));
    assert.ok(isEligibleForTier(sealed));
    assert.deepEqual(sealed.notes, []);

    const clone = join(temporaryDirectory(test), "clone");
    git(repository, "clone", "-q", "--no-hardlinks", ".", clone);
    git(clone, "gc", "-q", "--aggressive");
    const again = await sealHead(test, clone);
    assert.equal(again.archive.digest, sealed.archive.digest, "same commit, same bytes");
  });

  it("carries a note of what is uncommitted, and none of it", async (test) => {
    const repository = makeRepository(test, {
      a: "1",
      b: "2",
      c: "3",
      d: "4",
      ".gitignore": "i\n",
    });
    const clean = await sealHead(test, repository);
    assert.deepEqual(clean.notes, []);
    writeFiles(repository, { a: "changed", n: "new", m: "new", i: "ignored", s: "staged" });
    git(repository, "add", "s");
    rmSync(join(repository, "b"));
    const sealed = await sealHead(test, repository);
    const [note] = sealed.notes;
    assert.ok(note?.kind === "uncommitted");
    assert.deepEqual([note.staged, note.modified, note.untracked, note.conflicted], [1, 2, 2, 0]);
    assert.equal(sealed.archive.digest, clean.archive.digest);
    const manifest = manifestSource(sealed);
    assert.ok(manifest.kind === "git");
    assert.deepEqual(manifest.uncommitted, { digest: note.digest, count: 5 });
  });

  it("stays the same when the branch moves after it was sealed", async (test) => {
    const repository = makeRepository(test);
    const before = await sealHead(test, repository);
    assert.ok(before.identity.claim === "commit");
    writeFiles(repository, { "a.txt": "moved\n" });
    git(repository, "commit", "-q", "-a", "-m", "second");
    const pinned = await seal(test, {
      kind: "directory",
      path: repository,
      ref: before.identity.commit,
    });
    assert.equal(pinned.archive.digest, before.archive.digest);
    assert.notEqual((await sealHead(test, repository)).archive.digest, before.archive.digest);
  });

  it("is restricted to the subdirectory that was named", async (test) => {
    const repository = makeRepository(test, { "top.txt": "t", "sub/x": "x", "sub/y/z": "z" });
    const sealed = await sealHead(test, join(repository, "sub"));
    assert.ok(sealed.identity.claim === "commit");
    assert.equal(sealed.identity.prefix, "sub");
    assert.deepEqual(await listArchive(sealed.archive.path), [
      "file 644 x = x",
      "directory 755 y/",
      "file 644 y/z = z",
    ]);
  });

  it("may be a bare repository, a linked work tree, a tag, a shallow clone or SHA-256", async (test) => {
    const repository = makeRepository(test);
    const { archive } = await sealHead(test, repository);
    const same = async (path: string, ref = "HEAD") => {
      const sealed = await seal(test, { kind: "directory", path, ref });
      assert.equal(sealed.archive.digest, archive.digest);
      return sealed;
    };
    git(repository, "tag", "-a", "-m", "v1", "v1");
    await same(repository, "v1");
    const base = temporaryDirectory(test);
    git(repository, "clone", "-q", "--bare", ".", join(base, "bare"));
    await same(join(base, "bare"));
    git(repository, "worktree", "add", "-q", "--detach", join(base, "linked"));
    await same(join(base, "linked"));
    git(repository, "commit", "-q", "--allow-empty", "-m", "second");
    git(repository, "clone", "-q", "--depth=1", `file://${repository}`, join(base, "shallow"));
    const shallow = await same(join(base, "shallow"));
    assert.deepEqual(shallow.notes, [{ kind: "shallow-source" }]);

    const wide = join(base, "wide");
    git(base, "init", "-q", "-b", "main", "--object-format=sha256", wide);
    writeFiles(wide, { "a.txt": "a\n", "src/b.txt": "b\n" });
    git(wide, "add", "-A");
    git(wide, "commit", "-q", "-m", "first");
    const sealed = await same(wide);
    assert.ok(sealed.identity.claim === "commit" && sealed.identity.commit.length === 64);
  });
});

describe("a source is refused, with a fix, when", () => {
  const refuses = async (
    promise: Promise<unknown>,
    code: string,
    place?: string,
  ): Promise<void> => {
    await assert.rejects(promise, (error: Error & { code?: string; fix?: string }) => {
      assert.equal(error.code, code);
      if (place !== undefined) assert.ok(error.message.includes(place), error.message);
      assert.ok(error.fix !== undefined, "it says what to do");
      return true;
    });
  };

  it("it is no repository, or nothing is committed", async (test) => {
    await refuses(sealHead(test, temporaryDirectory(test)), "NOT_A_REPOSITORY");
    const unborn = temporaryDirectory(test);
    git(unborn, "init", "-q");
    await refuses(sealHead(test, unborn), "NOTHING_COMMITTED");
  });

  it("the ref is unknown, absent, or no commit", async (test) => {
    const path = makeRepository(test);
    const blob = git(path, "rev-parse", "HEAD:a.txt");
    const request = { kind: "directory", path } as const;
    await refuses(seal(test, { ...request, ref: "nope" }), "REF_NOT_FOUND", "nope");
    await refuses(seal(test, { ...request, ref: "1".repeat(40) }), "REF_NOT_FOUND");
    await refuses(seal(test, { ...request, ref: blob }), "REF_NOT_A_COMMIT");
  });

  it("the directory belongs to a wrong parent repository", async (test) => {
    const parent = makeRepository(test);
    writeFiles(parent, { "project/file": "untracked\n" });
    await refuses(sealHead(test, join(parent, "project")), "WRONG_PARENT_REPOSITORY", "project");
  });

  it("it has a submodule, pinned or not", async (test) => {
    const path = makeRepository(test);
    const sub = makeRepository(test);
    git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", sub, "lib/sub");
    git(path, "commit", "-q", "-m", "submodule");
    await refuses(sealHead(test, path), "SUBMODULE_UNSUPPORTED", "lib/sub");
    // Each way on that the refusal names is one.
    await assert.rejects(sealHead(test, path), {
      fix: /git submodule update --init.*--working-tree.*git rm --cached.*--ref/s,
    });
    const asIs = await seal(test, { kind: "working-tree", path });
    const tracked = (repository: string): number =>
      git(repository, "ls-files").split("\n").filter(Boolean).length;
    assert.ok(tracked(sub) > 0);
    assert.equal(asIs.archive.counts.files, tracked(path) - 1 + tracked(sub), "its files are in");
    git(path, "rm", "-q", "--cached", "lib/sub");
    git(path, "commit", "-q", "-m", "forgotten");
    await refuses(sealHead(test, path), "SUBMODULE_UNPINNED", "lib/sub");
    git(path, "rm", "-q", "-f", ".gitmodules");
    git(path, "commit", "-q", "-m", "clean");
    assert.equal((await sealHead(test, path)).identity.claim, "commit", "positive control");
  });

  const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12\n`;

  it("a file is an LFS pointer, in a commit or a working tree", async (test) => {
    const path = makeRepository(test, { "big/file.bin": POINTER });
    await refuses(sealHead(test, path), "LFS_POINTER", "big/file.bin");
    await refuses(seal(test, { kind: "working-tree", path }), "LFS_POINTER", "big/file.bin");
    const prose = makeRepository(test, { "a.md": `An LFS pointer looks like:\n${POINTER}` });
    assert.equal((await sealHead(test, prose)).archive.counts.files, 1, "positive control");
  });

  for (const target of ["/etc/passwd", "../../x", "s/../../x"]) {
    it(`a symbolic link leads to ${target}`, async (test) => {
      const path = makeRepository(test);
      symlinkSync(target, join(path, "src/link"));
      git(path, "add", "-A");
      git(path, "commit", "-q", "-m", "link");
      await refuses(sealHead(test, path), "SYMLINK_REFUSED", "src/link");
      await refuses(seal(test, { kind: "working-tree", path }), "SYMLINK_REFUSED", "src/link");
    });
  }

  it("a tree was made by hand to hold .git, .. or a duplicate", async (test) => {
    const path = makeRepository(test);
    const blob = git(path, "rev-parse", "HEAD:a.txt");
    const commitTree = (entries: readonly string[]): string => {
      const body = Buffer.concat(
        entries.map((name) =>
          Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]),
        ),
      );
      const run = (args: string[], input: Buffer | string): string =>
        execFileSync("/usr/bin/git", args, { cwd: path, input, encoding: "utf8" }).trim();
      const tree = run(["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], body);
      return git(path, "commit-tree", "-m", "x", tree);
    };
    for (const names of [[".git"], [".GIT"], [".."], ["a", "a"], ["git~1"], ["a/b"]]) {
      await assert.rejects(
        seal(test, { kind: "directory", path, ref: commitTree(names) }),
        ({ code, message }: { code?: string; message: string }) => {
          assert.match(`${code}`, /^(SOURCE_CORRUPT|PATH_REFUSED)$/, `${names.join()}: ${message}`);
          return true;
        },
      );
    }
    const good = await seal(test, { kind: "directory", path, ref: commitTree(["a", "b"]) });
    assert.equal(good.archive.counts.files, 2, "positive control");
  });

  it("it is beyond a named limit", async (test) => {
    const path = makeRepository(test, { a: "12345", b: "67890" });
    const limited = (change: Partial<typeof SEAL_LIMITS>) =>
      sealHead(test, path, { limits: { ...SEAL_LIMITS, ...change } });
    await refuses(limited({ files: 1 }), "SOURCE_LIMIT");
    await refuses(limited({ totalBytes: 9 }), "SOURCE_LIMIT");
    await refuses(limited({ fileBytes: 4 }), "SOURCE_LIMIT", "a");
    await refuses(limited({ listingBytes: 60 }), "GIT_OUTPUT");
    await refuses(limited({ gitMs: 1 }), "GIT_DEADLINE");
    await limited({ files: 2, totalBytes: 10, fileBytes: 5 });
  });

  it("it is a partial clone that lacks objects", async (test) => {
    const origin = makeRepository(test);
    git(origin, "config", "uploadpack.allowFilter", "true");
    const partial = join(temporaryDirectory(test), "partial");
    const options = ["-q", "--no-checkout", "--filter=blob:none"];
    git(origin, "clone", ...options, `file://${origin}`, partial);
    await refuses(sealHead(test, partial), "SOURCE_PARTIAL");
    git(partial, "checkout", "-q", "main");
    assert.equal((await sealHead(test, partial)).archive.counts.files, 2, "positive control");
  });
});

describe("a sealed working tree", () => {
  it("is the files as they are, .git left out, and a weaker claim", async (test) => {
    const path = makeRepository(test, { a: "1" });
    writeFiles(path, { a: "changed", "b/c": "new", "b/.git/config": "nested" });
    chmodSync(join(path, "b/c"), 0o711);
    const sealed = await seal(test, { kind: "working-tree", path });
    assert.deepEqual(await listArchive(sealed.archive.path), [
      "file 644 a = changed",
      "directory 755 b/",
      "file 755 b/c = new",
    ]);
    assert.equal(isEligibleForTier(sealed), false);
    assert.deepEqual(manifestSource(sealed), {
      kind: "working-tree",
      head: git(path, "rev-parse", "HEAD"),
      archive: sealed.archive.digest,
      files: 2,
      bytes: 10,
    });
  });

  it("needs no repository, and does not depend on times or owners", async (test) => {
    const [one, two] = [temporaryDirectory(test), temporaryDirectory(test)];
    for (const directory of [one, two]) writeFiles(directory, { "x/y": "1", z: "2" });
    execFileSync("touch", ["-d", "2001-01-01", join(two, "z")]);
    const digests = await Promise.all(
      [one, two].map(
        async (path) => (await seal(test, { kind: "working-tree", path })).archive.digest,
      ),
    );
    assert.equal(digests[0], digests[1]);
  });

  const specials: readonly [string, string, (path: string) => void][] = [
    ["a FIFO", "FILE_TYPE_REFUSED", (path) => execFileSync("mkfifo", [path])],
    [
      "a setuid file",
      "SETUID_REFUSED",
      (path) => {
        writeFileSync(path, "");
        chmodSync(path, 0o4755);
      },
    ],
    [
      "a setgid file",
      "SETUID_REFUSED",
      (path) => {
        writeFileSync(path, "");
        chmodSync(path, 0o2755);
      },
    ],
    ["a device", "FILE_TYPE_REFUSED", (path) => execFileSync("mknod", [path, "c", "1", "3"])],
    [
      "a socket",
      "FILE_TYPE_REFUSED",
      (path) => {
        execFileSync("python3", [
          "-c",
          `import socket;socket.socket(socket.AF_UNIX).bind(${JSON.stringify(path)})`,
        ]);
      },
    ],
    ["another spelling of .git", "PATH_REFUSED", (path) => mkdirSync(join(path, "../.GIT"))],
    ["a control character", "PATH_REFUSED", (path) => writeFileSync(`${path}\n`, "")],
    [
      "a name that is not UTF-8",
      "PATH_REFUSED",
      (path) => writeFileSync(Buffer.concat([Buffer.from(path), Buffer.from([0xff])]), ""),
    ],
  ];
  for (const [what, code, make] of specials) {
    it(`refuses ${what} by name`, async (test) => {
      const path = temporaryDirectory(test);
      writeFiles(path, { "dir/plain": "1" });
      assert.equal((await seal(test, { kind: "working-tree", path })).archive.counts.files, 1);
      make(join(path, "dir/special"));
      await assert.rejects(seal(test, { kind: "working-tree", path }), (error: Error) => {
        assert.equal((error as { code?: string }).code, code);
        return /dir\//.test(error.message);
      });
    });
  }
});
