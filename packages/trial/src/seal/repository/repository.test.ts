import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { git, makeRepository, writeFiles } from "../testing/fixture.js";
import { parseIndexPaths } from "./index-file.js";
import { locateRepository } from "./locate.js";
import { openRegular, readSmallFile } from "./read-file.js";
import { offerRefs, parseHead, parsePackedRefs, readRefs } from "./refs.js";
import { resolveRef } from "./resolve-ref.js";

describe("locateRepository", () => {
  it("finds the top from a subdirectory", (test) => {
    const top = makeRepository(test);
    assert.deepEqual(locateRepository(join(top, "src")), {
      workTree: top,
      gitDirectory: join(top, ".git"),
      commonDirectory: join(top, ".git"),
      prefix: "src",
    });
  });

  it("accepts a genuine linked work tree", (test) => {
    const top = makeRepository(test);
    const linked = join(temporaryDirectory(test), "linked");
    git(top, "worktree", "add", "-q", linked);
    assert.deepEqual(locateRepository(linked), {
      workTree: linked,
      gitDirectory: join(top, ".git/worktrees/linked"),
      commonDirectory: join(top, ".git"),
      prefix: "",
    });
  });

  it("accepts a bare repository", (test) => {
    const bare = join(temporaryDirectory(test), "x.git");
    git(makeRepository(test), "clone", "-q", "--bare", ".", bare);
    assert.equal(locateRepository(bare).workTree, undefined);
  });

  it("refuses a .git file that another work tree's repository does not name back", (test) => {
    const top = makeRepository(test);
    const linked = join(temporaryDirectory(test), "linked");
    git(top, "worktree", "add", "-q", linked);
    const thief = temporaryDirectory(test);
    cpSync(join(linked, ".git"), join(thief, ".git"));
    assert.throws(() => locateRepository(thief), { code: "REPOSITORY_REDIRECTED" });
  });

  it("refuses a .git file that names some repository", (test) => {
    const thief = temporaryDirectory(test);
    writeFileSync(join(thief, ".git"), `gitdir: ${join(makeRepository(test), ".git")}\n`);
    assert.throws(() => locateRepository(thief), { code: "REPOSITORY_REDIRECTED" });
  });

  for (const part of [".git", ".git/objects", ".git/refs", ".git/HEAD"]) {
    it(`refuses ${part} as a symbolic link`, (test) => {
      const top = makeRepository(test);
      renameSync(join(top, part), join(top, "elsewhere"));
      symlinkSync(join(top, "elsewhere"), join(top, part));
      assert.throws(() => locateRepository(top), { code: "REPOSITORY_REDIRECTED" });
    });
  }

  it("refuses a commondir planted in a plain repository", (test) => {
    const top = makeRepository(test);
    writeFileSync(join(top, ".git/commondir"), "/somewhere\n");
    assert.throws(() => locateRepository(top), { code: "REPOSITORY_REDIRECTED" });
  });

  it("refuses a bare layout planted inside a work tree", (test) => {
    const top = makeRepository(test);
    writeFiles(top, {
      "x/HEAD": "ref: refs/heads/main\n",
      "x/objects/.keep": "",
      "x/refs/.keep": "",
    });
    assert.throws(() => locateRepository(join(top, "x")), { code: "REPOSITORY_AMBIGUOUS" });
  });

  it("refuses what is no repository, the inside of one, and what is not there", (test) => {
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, "file"), "");
    assert.throws(() => locateRepository(directory), { code: "NOT_A_REPOSITORY" });
    assert.throws(() => locateRepository(join(directory, "gone")), { code: "SOURCE_NOT_FOUND" });
    assert.throws(() => locateRepository(join(directory, "file")), { code: "SOURCE_NOT_FOUND" });
    assert.throws(() => locateRepository(join(makeRepository(test), ".git/refs")), {
      code: "NOT_A_REPOSITORY",
    });
  });

  it("ignores core.worktree", (test) => {
    const top = makeRepository(test);
    git(top, "config", "core.worktree", "/etc");
    assert.equal(locateRepository(top).workTree, top);
  });
});

describe("readRefs and resolveRef", () => {
  it("agree with git about loose and packed refs", (test) => {
    const top = makeRepository(test);
    git(top, "tag", "packed");
    git(top, "tag", "-a", "-m", "x", "annotated");
    git(top, "pack-refs", "--all");
    git(top, "branch", "loose/one");
    const location = locateRepository(top);
    const shown = git(top, "for-each-ref", "--format=%(refname) %(objectname)").split("\n");
    const read = [...readRefs(location).refs].map((pair) => pair.join(" ")).sort();
    assert.deepEqual(read, shown.sort());
    const offered = offerRefs(readRefs(location));
    assert.equal(resolveRef("HEAD", offered).ref, "refs/heads/main");
    assert.equal(resolveRef("annotated", offered).ref, "refs/tags/annotated");
  });

  it("prefers a loose ref to the packed one it replaced", (test) => {
    const top = makeRepository(test);
    git(top, "pack-refs", "--all");
    git(top, "commit", "-q", "--allow-empty", "-m", "second");
    const offered = offerRefs(readRefs(locateRepository(top)));
    assert.equal(offered.head?.oid, git(top, "rev-parse", "HEAD"));
  });

  const [a, b] = ["a".repeat(40), "b".repeat(40)];
  it("refuses a name that means two objects, and takes one that means the same twice", () => {
    const refs = new Map([
      ["refs/tags/x", a],
      ["refs/heads/x", b],
      ["refs/heads/y", a],
      ["refs/tags/y", a],
      [`refs/heads/${a}`, b],
    ]);
    const offered = { head: undefined, refs };
    assert.throws(() => resolveRef("x", offered), { code: "REF_AMBIGUOUS" });
    assert.equal(resolveRef("refs/heads/x", offered).oid, b);
    assert.equal(resolveRef("y", offered).oid, a);
    assert.equal(resolveRef(a, offered).oid, a, "a full id means itself, not the branch");
    assert.throws(() => resolveRef("z", offered), { code: "REF_NOT_FOUND" });
    assert.throws(() => resolveRef("HEAD", offered), { code: "NOTHING_COMMITTED" });
  });

  it("refuse files that are not what they should be", () => {
    assert.throws(() => parseHead("gibberish"), { code: "REPOSITORY_FORMAT" });
    assert.throws(() => parseHead("ref: ../../etc/passwd"), { code: "REPOSITORY_FORMAT" });
    assert.throws(() => parsePackedRefs("zz refs/heads/x\n"), { code: "REPOSITORY_FORMAT" });
  });
});

describe("parseIndexPaths", () => {
  const files = {
    a: "1",
    "a-b": "2",
    "dir/long/er/name.txt": "3",
    "dir/long/er/other": "4",
    é: "5",
  };
  for (const version of ["2", "3", "4"]) {
    it(`lists what git lists, version ${version}`, (test) => {
      const top = makeRepository(test, files);
      git(top, "update-index", "--index-version", version);
      if (version === "3") git(top, "update-index", "--skip-worktree", "a");
      const paths = parseIndexPaths(readFileSync(join(top, ".git/index")), 20);
      const listed = git(top, "ls-files", "-z").split("\0").filter(Boolean);
      assert.deepEqual(
        [...(paths ?? [])].map((path) => Buffer.from(path, "latin1").toString()).sort(),
        listed.sort(),
      );
    });
  }

  it("says so when the index is split", (test) => {
    const top = makeRepository(test, files);
    git(top, "update-index", "--split-index");
    assert.equal(parseIndexPaths(readFileSync(join(top, ".git/index")), 20), undefined);
  });

  it("survives any bytes", (test) => {
    const top = makeRepository(test, files);
    git(top, "update-index", "--index-version", "4");
    const real = readFileSync(join(top, ".git/index"));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(real.length - 1), fc.nat(255))), (changes) => {
        const bytes = Buffer.from(real);
        for (const [at, value] of changes) bytes[at] = value;
        parseIndexPaths(bytes, 20);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

describe("readSmallFile", () => {
  it("reads a file, and undefined where there is none", (test) => {
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, "a"), "text");
    assert.equal(readSmallFile(join(directory, "a"), 10)?.toString(), "text");
    assert.equal(readSmallFile(join(directory, "b"), 10), undefined);
    assert.throws(() => readSmallFile(join(directory, "a"), 4), { code: "SOURCE_UNREADABLE" });
  });

  it("refuses links and directories, and does not hang on a FIFO", async (test) => {
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, "a"), "text");
    symlinkSync("a", join(directory, "link"));
    mkdirSync(join(directory, "dir"));
    const { execFileSync } = await import("node:child_process");
    execFileSync("mkfifo", [join(directory, "fifo")]);
    for (const name of ["link", "dir", "fifo"]) {
      assert.throws(() => openRegular(join(directory, name)), { code: "SOURCE_UNREADABLE" });
    }
  });
});
