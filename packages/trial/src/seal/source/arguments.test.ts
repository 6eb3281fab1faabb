import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkSourceArguments, type PathKind } from "./check-arguments.js";
import { checkRef } from "./check-ref.js";
import { checkGitUrl, normaliseRemote } from "./check-url.js";

const look =
  (kinds: Readonly<Record<string, PathKind>>) =>
  (path: string): PathKind =>
    kinds[path] ?? "absent";

const paths = look({ dir: "directory", "a.bundle": "file", "host:x": "directory", fifo: "other" });

describe("checkSourceArguments", () => {
  it("tells directories, bundles, URLs and working trees apart", () => {
    assert.deepEqual(checkSourceArguments({ source: "dir" }, paths), {
      kind: "directory",
      path: "dir",
      ref: "HEAD",
    });
    assert.deepEqual(checkSourceArguments({ source: "a.bundle", ref: "v1" }, paths), {
      kind: "bundle",
      path: "a.bundle",
      ref: "v1",
    });
    assert.deepEqual(
      checkSourceArguments({ source: "HTTPS://Example.ORG:443/x/", ref: "v1" }, paths),
      {
        kind: "remote",
        url: "https://example.org/x",
        ref: "v1",
      },
    );
    assert.deepEqual(checkSourceArguments({ source: "dir", workingTree: true }, paths), {
      kind: "working-tree",
      path: "dir",
    });
    assert.equal(checkSourceArguments({ source: "host:x" }, paths).kind, "directory");
  });

  const refused: readonly [string, Parameters<typeof checkSourceArguments>[0], string][] = [
    ["nothing", { source: "" }, "SOURCE_ARGUMENT"],
    ["an option", { source: "--upload-pack=touch x" }, "SOURCE_ARGUMENT"],
    ["a path that is not there", { source: "nowhere" }, "SOURCE_NOT_FOUND"],
    ["a FIFO", { source: "fifo" }, "SOURCE_ARGUMENT"],
    ["ext::", { source: "ext::sh -c id" }, "SOURCE_PROTOCOL"],
    ["ssh", { source: "ssh://git@example.org/x" }, "SOURCE_PROTOCOL"],
    ["ssh with an option for a host", { source: "ssh://-oProxyCommand=x/y" }, "SOURCE_PROTOCOL"],
    ["scp-like", { source: "git@example.org:x" }, "SOURCE_PROTOCOL"],
    ["file", { source: "file:///etc" }, "SOURCE_PROTOCOL"],
    ["a password", { source: "https://u:secret@example.org/x" }, "SOURCE_CREDENTIALS"],
    ["a ref that is an option", { source: "dir", ref: "--exec=x" }, "REF_ARGUMENT"],
    [
      "a working tree of a URL",
      { source: "https://e.org/x", workingTree: true },
      "SOURCE_ARGUMENT",
    ],
    [
      "a working tree with a ref",
      { source: "dir", workingTree: true, ref: "x" },
      "SOURCE_ARGUMENT",
    ],
  ];
  for (const [what, given, code] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => checkSourceArguments(given, paths),
        (error: Error & { code?: string; fix?: string }) =>
          error.code === code && error.fix !== undefined && !error.message.includes("secret"),
      );
    });
  }
});

describe("checkRef", () => {
  for (const ref of ["HEAD", "main", "refs/heads/a/b", "v1.2.3", "a".repeat(40), "feature-x"]) {
    it(`accepts ${ref.slice(0, 20)}`, () => assert.equal(checkRef(ref), ref));
  }
  for (const ref of [
    "",
    "-x",
    "a..b",
    "a b",
    "a^",
    "a~1",
    "a:b",
    "@{u}",
    "a\n",
    "@",
    "a.lock",
    "/a",
  ]) {
    it(`refuses ${JSON.stringify(ref)}`, () => {
      assert.throws(() => checkRef(ref), { code: "REF_ARGUMENT" });
    });
  }
});

describe("checkGitUrl", () => {
  for (const url of [
    "https://e.org/x?y",
    "https://e.org/x#y",
    "https://e.org/",
    "https://e.org/a b",
    "https://-e.org/x",
    "https:///x",
    `https://e.org/${"x".repeat(3000)}`,
    "https://e.org/x\n",
  ]) {
    it(`refuses ${JSON.stringify(url).slice(0, 40)}`, () => {
      assert.throws(() => checkGitUrl(url), { code: "SOURCE_ARGUMENT" });
    });
  }
  it("keeps a port and an IPv6 host", () => {
    assert.equal(checkGitUrl("http://[::1]:8080/x.git"), "http://[::1]:8080/x.git");
  });
});

describe("normaliseRemote", () => {
  const cases: readonly [string, string | undefined][] = [
    ["https://u:p@Example.org/x.git/", "https://example.org/x.git"],
    ["git@github.com:o/r.git", "ssh://github.com/o/r.git"],
    ["ssh://git@h:22/x", "ssh://h:22/x"],
    ["/srv/x", undefined],
    ["../x", undefined],
    ["file:///x", undefined],
  ];
  for (const [remote, expected] of cases) {
    it(`turns ${remote} into ${expected ?? "nothing"}`, () => {
      assert.equal(normaliseRemote(remote), expected);
    });
  }
});
