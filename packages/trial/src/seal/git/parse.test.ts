import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { parseBatchHeader, parseCommit } from "./parse-object.js";
import { parseRefLines } from "./parse-remote-refs.js";
import { countUncommitted } from "./parse-status.js";
import { parseTreeListing } from "./parse-tree.js";

const OID = "0123456789abcdef0123456789abcdef01234567";

describe("parseTreeListing", () => {
  it("reads files, links and gitlinks", () => {
    const text =
      `100644 blob ${OID}      12\ta\tb\n\0` +
      `100755 blob ${OID}       0\trun\0` +
      `120000 blob ${OID}       3\tlink\0` +
      `160000 commit ${OID}       -\tsub\0`;
    assert.deepEqual(parseTreeListing(Buffer.from(text)), [
      { kind: "file", path: "a\tb\n", oid: OID, size: 12, executable: false },
      { kind: "file", path: "run", oid: OID, size: 0, executable: true },
      { kind: "link", path: "link", oid: OID, size: 3 },
      { kind: "gitlink", path: "sub", oid: OID },
    ]);
  });

  const refused: readonly [string, string | Buffer, string][] = [
    ["a missing NUL", `100644 blob ${OID} 1\ta`, "SOURCE_CORRUPT"],
    ["an unknown mode", `100600 blob ${OID} 1\ta\0`, "SOURCE_CORRUPT"],
    ["a blob without size", `100644 blob ${OID} -\ta\0`, "SOURCE_CORRUPT"],
    ["a commit with a file's mode", `100644 commit ${OID} -\ta\0`, "SOURCE_CORRUPT"],
    ["a short id", `100644 blob ${OID.slice(1)} 1\ta\0`, "SOURCE_CORRUPT"],
    ["an empty name", `100644 blob ${OID} 1\t\0`, "SOURCE_CORRUPT"],
    [
      "a name that is not UTF-8",
      Buffer.concat([Buffer.from(`100644 blob ${OID} 1\ta`), Buffer.from([0xff, 0])]),
      "PATH_REFUSED",
    ],
  ];
  for (const [what, text, code] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => parseTreeListing(Buffer.from(text)), { code });
    });
  }
});

describe("parseCommit", () => {
  it("reads tree and committer time, whatever the message says", () => {
    const body = `tree ${OID}\nauthor A <a@b> 1 +0000\ncommitter > B <b> 1700000000 -0130\n\ncommitter X <> 5 +0000\n`;
    assert.deepEqual(parseCommit(Buffer.from(body)), { tree: OID, time: 1_700_000_000 });
  });

  it("refuses a commit without a tree", () => {
    assert.throws(() => parseCommit(Buffer.from("committer B <b> 1 +0000\n\n")), {
      code: "SOURCE_CORRUPT",
    });
  });
});

describe("parseBatchHeader", () => {
  it("reads objects, missing and ambiguous names", () => {
    assert.equal(parseBatchHeader(`${OID} blob 12`).kind, "object");
    assert.deepEqual(parseBatchHeader("abc^{commit} missing"), {
      kind: "missing",
      name: "abc^{commit}",
    });
    assert.equal(parseBatchHeader("abc ambiguous").kind, "ambiguous");
    assert.throws(() => parseBatchHeader(`${OID} blob 012`), { code: "GIT_FAILED" });
  });
});

describe("countUncommitted", () => {
  it("counts by kind of change", () => {
    const output = ["1 M. N... a", "1 .M N... b", "1 MM N... c", "? d", "? e", "u UU f"];
    assert.deepEqual(countUncommitted(`${output.join("\0")}\0`), {
      staged: 2,
      modified: 2,
      untracked: 2,
      conflicted: 1,
    });
  });

  it("says so when the form is unknown", () => {
    assert.equal(countUncommitted("# branch.oid\0"), undefined);
    assert.equal(countUncommitted("? a"), undefined);
  });
});

describe("any bytes", () => {
  it("give a result or a named error, never another exception", () => {
    const lines = (bytes: Buffer): string[] => bytes.toString("latin1").split("\n");
    for (const parse of [
      parseTreeListing,
      parseCommit,
      (bytes: Buffer) => lines(bytes).map(parseBatchHeader),
      (bytes: Buffer) => parseRefLines(lines(bytes)),
      (bytes: Buffer) => countUncommitted(bytes.toString("latin1")),
    ] as const) {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
          try {
            parse(Buffer.from(bytes));
          } catch (error) {
            if (!isDrydockError(error)) throw error;
          }
        }),
        { numRuns: profile.fuzz, seed: profile.seed },
      );
    }
  });
});
