import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { openStore } from "../../store/index.js";
import { extractErofs, inspectInode, listing } from "../testing/erofs.js";
import { place } from "../tree/edit.js";
import {
  bytesContent,
  type DirectoryNode,
  directory,
  file,
  rootOwned,
  symlink,
  type TreeNode,
} from "../tree/node.js";
import { writeErofs } from "./write.js";

/** Sizes around the borders that the format cares about: the inode's block and whole blocks. */
const SIZES = [0, 1, 31, 4031, 4032, 4033, 4095, 4096, 4097, 8127, 8128, 8129, 8192, 20_000];

const name = fc
  .oneof(
    fc.stringMatching(/^[!-~]{1,40}$/),
    fc.stringMatching(/^[a-c]{1,3}$/),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
    fc.constant("n".repeat(255)),
  )
  .filter(
    (text) =>
      !/[/\0]/.test(text) && text !== "." && text !== ".." && Buffer.byteLength(text) <= 255,
  );

const attributes = fc.record({
  // Set-id bits are lost by the tool that extracts; a test below looks at them.
  mode: fc.nat(0o777),
  uid: fc.nat(2 ** 31),
  gid: fc.nat(2 ** 31),
  mtime: fc.nat(2 ** 31),
});

const { tree } = fc.letrec<{ tree: DirectoryNode; node: TreeNode }>((tie) => ({
  tree: fc
    .tuple(attributes, fc.array(fc.tuple(name, tie("node")), { maxLength: 12 }))
    .map(([attributes, entries]) => ({
      kind: "directory" as const,
      attributes,
      entries: new Map(entries),
    })),
  node: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(attributes, fc.constantFrom(...SIZES), fc.nat(255))
      .map(
        ([attributes, size, fill]): TreeNode =>
          file(bytesContent(Buffer.alloc(size, fill)), attributes),
      ),
    fc.stringMatching(/^[a-z/.]{1,200}$/).map((target): TreeNode => symlink(target)),
    tie("tree"),
  ),
}));

test("erofs-utils reads back every tree that the writer writes", (t) => {
  const work = temporaryDirectory(t);
  const store = openStore(join(work, "store"));
  let run = 0;
  fc.assert(
    fc.property(tree, (root) => {
      run += 1;
      const image = writeErofs(store, root, "test");
      const found = listing(extractErofs(store, image, join(work, String(run))));
      assert.deepEqual(
        new Map([...found].map(([path, { mtime: _, ...seen }]) => [path, seen])),
        expected(root),
      );
    }),
    // Each run starts a process, so fewer of them.
    { numRuns: Math.ceil(profile.fuzz / 5), seed: profile.seed },
  );
});

const expected = (root: DirectoryNode, prefix = ""): Map<string, object> =>
  new Map(
    [...root.entries].flatMap(([entry, node]) => {
      const path = `${prefix}/${entry}`;
      const { mode, uid, gid } = node.attributes;
      const content =
        node.kind === "symlink"
          ? node.target
          : node.kind === "file" && node.content.kind === "bytes"
            ? node.content.bytes.toString("latin1")
            : "";
      const below = node.kind === "directory" ? [...expected(node, path)] : [];
      return [[path, { kind: node.kind, mode, uid, gid, content }], ...below] as [string, object][];
    }),
  );

test("a directory of thousands of names is found by binary search", (t) => {
  const work = temporaryDirectory(t);
  const store = openStore(join(work, "store"));
  const root = directory();
  for (let index = 0; index < 3000; index += 1) {
    place(root, `/many/file-${index}`, file(bytesContent(String(index)), rootOwned(0o644)));
  }
  const image = writeErofs(store, root, "test");
  for (const index of [0, 7, 1499, 2999]) {
    assert.deepEqual(inspectInode(store, image, `/many/file-${index}`), { links: 1, mode: 0o644 });
  }
});

test("set-id bits, sticky directories and link counts are kept", (t) => {
  const store = openStore(join(temporaryDirectory(t), "store"));
  const root = directory();
  const shared = file(bytesContent("shared"), rootOwned(0o6755));
  place(root, "/a", shared);
  place(root, "/d/b", shared);
  place(root, "/tmp/x", directory(rootOwned(0o1777)));
  place(root, "/tmp/y", directory());
  const image = writeErofs(store, root, "test");
  assert.deepEqual(inspectInode(store, image, "/a"), { links: 2, mode: 0o6755 });
  assert.deepEqual(inspectInode(store, image, "/tmp/x"), { links: 2, mode: 0o1777 });
  assert.equal(inspectInode(store, image, "/tmp").links, 4);
});

test("the order in which a tree was made does not show", (t) => {
  const store = openStore(join(temporaryDirectory(t), "store"));
  const names = ["b", "a", "c/d", "c/a", "-", "é", "\u{1f600}", "\uffee"];
  const build = (order: readonly string[]) => {
    const root = directory();
    for (const path of order) place(root, `/${path}`, file(bytesContent(path), rootOwned(0o600)));
    return writeErofs(store, root, "test").digest;
  };
  assert.equal(build(names), build([...names].reverse()));
  assert.notEqual(build(names), build(names.slice(1)));
});
