import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { git, makeRepository, sealHead, tryGit, writeFiles } from "../testing/fixture.js";
import { compareCanonical } from "./compare.js";
import type { CanonicalField } from "./observation.js";
import { OBSERVATION_LIMITS, observeCanonical } from "./observe.js";

/** Everything about a checkout's files but access times. */
const snapshot = (directory: string): string[] =>
  (readdirSync(directory, { recursive: true, encoding: "utf8" }) as string[]).sort().map((name) => {
    const path = join(directory, name);
    const status = lstatSync(path, { bigint: true });
    const contents = status.isFile() ? readFileSync(path).toString("base64") : "";
    const { mode, ino, nlink, uid, gid, size, mtimeNs, ctimeNs } = status;
    return [name, mode, ino, nlink, uid, gid, size, mtimeNs, ctimeNs, contents].join(" ");
  });

describe("sealing", () => {
  it("leaves bytes, times and inodes of the canonical checkout as they were", async (test) => {
    const top = makeRepository(test);
    // A racily clean index and a touched file: what makes git status rewrite the index.
    writeFiles(top, { "a.txt": "a\n", "new.txt": "new\n" });
    utimesSync(join(top, "src/b.txt"), 1, 1);
    git(top, "config", "core.untrackedCache", "true");
    const before = snapshot(top);
    const seen = observeCanonical(top);
    await sealHead(test, top);
    assert.deepEqual(snapshot(top), before);
    assert.deepEqual(compareCanonical(seen, observeCanonical(top)), {
      kind: "same",
      complete: true,
    });
    tryGit(top, "status");
    assert.notDeepEqual(snapshot(top), before, "positive control: git status writes the index");
    const comparison = compareCanonical(seen, observeCanonical(top));
    assert.ok(comparison.kind === "changed" && comparison.fields.includes("index"));
  });
});

describe("observeCanonical", () => {
  const changes: readonly [string, (top: string) => void, readonly CanonicalField[]][] = [
    ["a tracked file's contents", (top) => appendFileSync(join(top, "a.txt"), "x"), ["tree"]],
    [
      "a tracked file's contents with its size and time restored",
      (top) => {
        const { atime, mtime } = statSync(join(top, "a.txt"));
        writeFileSync(join(top, "a.txt"), "b\n");
        utimesSync(join(top, "a.txt"), atime, mtime);
      },
      ["tree"],
    ],
    ["a tracked file's mode", (top) => chmodSync(join(top, "a.txt"), 0o755), ["tree"]],
    ["a tracked file that is gone", (top) => rmSync(join(top, "src/b.txt")), ["tree", "untracked"]],
    ["a new file", (top) => writeFileSync(join(top, "new"), ""), ["untracked"]],
    ["an ignored file", (top) => writeFileSync(join(top, "ignored"), "x"), ["untracked"]],
    ["the index", (top) => git(top, "update-index", "--chmod=+x", "a.txt"), ["index"]],
    ["a new branch", (top) => git(top, "branch", "other"), ["refs"]],
    ["HEAD", (top) => git(top, "symbolic-ref", "HEAD", "refs/heads/same"), ["head"]],
    [
      "a planted hook",
      (top) => writeFileSync(join(top, ".git/hooks/post-checkout"), ""),
      ["configuration"],
    ],
    ["the configuration", (top) => git(top, "config", "a.b", "c"), ["configuration"]],
    [
      "a link's target",
      (top) => {
        rmSync(join(top, "link"));
        symlinkSync("src", join(top, "link"));
      },
      ["tree"],
    ],
  ];
  for (const [what, change, fields] of changes) {
    it(`notices ${what}, and nothing else`, (test) => {
      const top = makeRepository(test, {
        "a.txt": "a\n",
        "src/b.txt": "b\n",
        ".gitignore": "ignored\n",
      });
      symlinkSync("a.txt", join(top, "link"));
      git(top, "add", "link");
      git(top, "commit", "-q", "-m", "link");
      git(top, "branch", "same");
      const before = observeCanonical(top);
      assert.deepEqual(compareCanonical(before, observeCanonical(top)), {
        kind: "same",
        complete: true,
      });
      change(top);
      const comparison = compareCanonical(before, observeCanonical(top));
      assert.deepEqual(comparison, { kind: "changed", fields });
    });
  }

  it("notices a directory that was exchanged for an equal one", (test) => {
    const base = temporaryDirectory(test);
    writeFiles(base, { "one/file": "x" });
    execFileSync("cp", ["-a", join(base, "one"), join(base, "two")]);
    const before = observeCanonical(join(base, "one"));
    renameSync(join(base, "one"), join(base, "old"));
    renameSync(join(base, "two"), join(base, "one"));
    const comparison = compareCanonical(before, observeCanonical(join(base, "one")));
    assert.ok(comparison.kind === "changed" && comparison.fields.includes("pathIdentity"));
  });

  it("observes a directory in no repository, and a bare repository", (test) => {
    const plain = temporaryDirectory(test);
    writeFiles(plain, { x: "1" });
    const observed = observeCanonical(plain);
    assert.deepEqual([observed.head, observed.index, observed.refs], [null, null, null]);
    const bare = join(plain, "bare");
    git(makeRepository(test), "clone", "-q", "--bare", ".", bare);
    assert.equal(observeCanonical(bare).head, "ref: refs/heads/main");
  });

  it("says when a bound cut it short, and still sees metadata beyond contents", (test) => {
    const top = makeRepository(test);
    const limits = { ...OBSERVATION_LIMITS, contentBytes: 2 };
    const before = observeCanonical(top, limits);
    assert.equal(before.coverage.complete, false);
    writeFileSync(join(top, "src/b.txt"), "c\n");
    assert.equal(compareCanonical(before, observeCanonical(top, limits)).kind, "changed");
    assert.equal(
      observeCanonical(top, { ...OBSERVATION_LIMITS, files: 1 }).coverage.complete,
      false,
    );
  });
});
