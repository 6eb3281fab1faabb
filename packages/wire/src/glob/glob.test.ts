import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { globsSelect, parseGlob } from "./glob.js";

const matches = (glob: string, path: string): boolean => parseGlob(glob).matches(path);

describe("a glob", () => {
  for (const [glob, yes, no] of [
    ["a.txt", ["a.txt"], ["b.txt", "a.txt/b", "x/a.txt", "aXtxt"]],
    ["*.log", ["a.log", ".log"], ["a.log.gz", "x/a.log"]],
    ["dist/*", ["dist/a"], ["dist", "dist/a/b"]],
    ["dist/**", ["dist", "dist/a", "dist/a/b"], ["dis", "x/dist"]],
    ["**/a?", ["ab", "x/ab", "x/y/az"], ["a", "x/abc"]],
    ["**", ["a", "a/b"], []],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b", "a", "a/bb"]],
    ["*a*b*", ["ab", "xaybz"], ["ba", "x"]],
    ["[a]{b}", ["[a]{b}"], ["a", "ab"]],
    ["ü*", ["über"], ["uber"]],
  ] as const) {
    it(`${glob} matches what it says`, () => {
      for (const path of yes) assert.equal(matches(glob, path), true, path);
      for (const path of no) assert.equal(matches(glob, path), false, path);
    });
  }

  it("that leads out of the tree or says nothing is refused", () => {
    for (const glob of ["", "/a", "a/../b", "..", ".", "a//b", "a/", "./a", "a\0b"]) {
      assert.throws(() => parseGlob(glob), { code: "GLOB_INVALID" }, glob);
    }
  });

  it("selects what lies in a directory that it matches", () => {
    const globs = [parseGlob("coverage"), parseGlob("*.log")];
    assert.equal(globsSelect(globs, "coverage/lcov/index.html"), true);
    assert.equal(globsSelect(globs, "a.log"), true);
    assert.equal(globsSelect(globs, "src/coverage"), false);
  });

  it("prunes no directory that holds a match", () => {
    const part = fc.constantFrom("a", "b", "*", "**", "a*");
    const name = fc.constantFrom("a", "b", "ab");
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.array(name, { minLength: 2, maxLength: 5 }),
        (parts, path) => {
          const glob = parseGlob(parts.join("/"));
          if (!glob.matches(path.join("/"))) return;
          for (let depth = 1; depth < path.length; depth += 1) {
            assert.equal(glob.mayMatchBelow(path.slice(0, depth).join("/")), true);
          }
        },
      ),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("takes no exponential time", () => {
    const name = "a".repeat(2000);
    assert.equal(matches(`${"*a".repeat(500)}b`, name), false);
    assert.equal(matches(`${"**/".repeat(50)}b`, `${"a/".repeat(500)}a`), false);
  });
});
