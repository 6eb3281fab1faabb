import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { display } from "./display.js";
import { isDotGit } from "./dot-git.js";
import { findLinkProblem } from "./link.js";
import { findPathProblem } from "./path.js";

const LIMITS = { pathBytes: 64, componentBytes: 16, depth: 4 };

describe("findPathProblem", () => {
  const refused: readonly [string, string][] = [
    ["", "EMPTY"],
    ["/etc/passwd", "ABSOLUTE"],
    ["..", "TRAVERSAL"],
    ["a/../b", "TRAVERSAL"],
    ["./a", "TRAVERSAL"],
    ["a//b", "EMPTY_COMPONENT"],
    ["a/", "EMPTY_COMPONENT"],
    ["a\nb", "CONTROL_CHARACTER"],
    ["a\0b", "CONTROL_CHARACTER"],
    ["a\u0085b", "CONTROL_CHARACTER"],
    ["txt.\u202eexe", "CONTROL_CHARACTER"],
    [".git", "DOT_GIT"],
    ["a/.GIT/config", "DOT_GIT"],
    [`${"a/".repeat(40)}b`, "PATH_TOO_LONG"],
    ["é".repeat(9), "COMPONENT_TOO_LONG"],
    ["a/b/c/d/e", "TOO_DEEP"],
  ];
  for (const [path, problem] of refused) {
    it(`refuses ${display(path)} as ${problem}`, () => {
      assert.equal(findPathProblem(path, LIMITS), problem);
    });
  }

  for (const path of ["a", "a/b/c/d", "...", "a..b", "..a", ".gitignore", "é".repeat(8), "a b"]) {
    it(`accepts ${path}`, () => assert.equal(findPathProblem(path, LIMITS), undefined));
  }
});

describe("isDotGit", () => {
  for (const name of [".git", ".GiT", ".g\u200cit", ".git.", ".git  ", "git~1", "GIT~1"]) {
    it(`knows ${display(name)}`, () => assert.equal(isDotGit(name), true));
  }
  for (const name of [".git::$INDEX_ALLOCATION", "a\\.git", ".git\\hooks", ".git:x"]) {
    it(`knows ${display(name)} on NTFS`, () => assert.equal(isDotGit(name), true));
  }
  for (const name of ["git", ".gitx", ".gitignore", ".github", "git~2", "x.git", "..git"]) {
    it(`leaves ${name} alone`, () => assert.equal(isDotGit(name), false));
  }
});

describe("findLinkProblem", () => {
  const refused: readonly [string, string, string][] = [
    ["l", "/etc/passwd", "ABSOLUTE_TARGET"],
    ["l", "..", "ESCAPING_TARGET"],
    ["a/l", "../../x", "ESCAPING_TARGET"],
    ["a/l", "./.././../x", "ESCAPING_TARGET"],
    ["a/b/l", "s/../x", "WINDING_TARGET"],
    ["a/l", "", "EMPTY_TARGET"],
    ["a/l", "x\ny", "CONTROL_CHARACTER"],
    ["a/l", "../.git/hooks", "DOT_GIT"],
    ["a/l", "x".repeat(65), "TARGET_TOO_LONG"],
  ];
  for (const [path, target, problem] of refused) {
    it(`refuses ${path} -> ${display(target)} as ${problem}`, () => {
      assert.equal(findLinkProblem(path, target, 64), problem);
    });
  }

  for (const [path, target] of [
    ["l", "x"],
    ["l", "."],
    ["a/l", ".."],
    ["a/l", "../x/y"],
    ["a/b/l", "../../x"],
  ] as const) {
    it(`accepts ${path} -> ${target}`, () => {
      assert.equal(findLinkProblem(path, target, 64), undefined);
    });
  }

  it("never lets accepted links lead out together, however they chain", () => {
    const name = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(name, fc.constantFrom("..", ".", ""));
    const link = fc.tuple(
      fc.array(name, { minLength: 1, maxLength: 4 }),
      fc.array(step, { maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(link, { maxLength: 8 }), (links) => {
        const accepted = new Map<string, string>();
        for (const [path, target] of links) {
          const at = path.join("/");
          // A path never leads through a link: the archive would have no directory there.
          const through = [...accepted.keys()].some(
            (other) => at.startsWith(`${other}/`) || other.startsWith(`${at}/`),
          );
          if (through || findLinkProblem(at, target.join("/"), 64) !== undefined) continue;
          accepted.set(at, target.join("/"));
        }
        for (const path of accepted.keys()) assert.equal(escapes(path, accepted), false);
      }),
      { numRuns: profile.fuzz * 5, seed: profile.seed },
    );
  });
});

/** Walks a path as the kernel does (path_resolution(7)) and tells whether it goes above the root. */
const escapes = (path: string, links: ReadonlyMap<string, string>): boolean => {
  const left = path.split("/");
  const at: string[] = [];
  for (let followed = 0; left.length > 0; ) {
    const step = left.shift() ?? "";
    if (step === "" || step === ".") continue;
    if (step === "..") {
      if (at.pop() === undefined) return true;
      continue;
    }
    const target = links.get([...at, step].join("/"));
    if (target === undefined) at.push(step);
    else if (++followed > 40) return false;
    else if (target.startsWith("/")) return true;
    else left.unshift(...target.split("/"));
  }
  return false;
};
