import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { flip, utf8 } from "../testing/bytes.js";
import {
  consistencyProof,
  EMPTY_ROOT,
  IncrementalTree,
  inclusionProof,
  leafHash,
  nodeHash,
  rootOf,
} from "./merkle.js";
import { isConsistent, isIncluded } from "./merkle-verify.js";

/** Leaves and roots of the Certificate Transparency reference implementation's Merkle tests. */
const CT_LEAVES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((hex) => Buffer.from(hex, "hex"));
const CT_ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

test("roots are those of the reference implementation", () => {
  assert.equal(
    EMPTY_ROOT.toString("hex"),
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
  const tree = new IncrementalTree();
  assert.deepEqual(tree.root(), EMPTY_ROOT);
  CT_LEAVES.forEach((leaf, index) => {
    tree.append(leaf);
    assert.equal(tree.root().toString("hex"), CT_ROOTS[index]);
  });
});

/** RFC 6962 §2.1, word for word. */
const definition = (leaves: readonly Buffer[]): Buffer => {
  const [only] = leaves;
  if (only === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return leafHash(only);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(definition(leaves.slice(0, split)), definition(leaves.slice(split)));
};

const leaves = fc
  .integer({ min: 1, max: 130 })
  .map((count) => Array.from({ length: count }, (_, index) => utf8(`leaf ${index}`)));
const options = { numRuns: Math.min(profile.fuzz, 2000), seed: profile.seed };

test("the incremental root is the defined one at every size", () => {
  fc.assert(
    fc.property(leaves, (items) => {
      const tree = new IncrementalTree();
      for (const item of items) tree.append(item);
      assert.deepEqual(tree.root(), definition(items));
      assert.equal(tree.size, items.length);
    }),
    options,
  );
});

test("every leaf is proven included, and nothing else is", () => {
  fc.assert(
    fc.property(leaves, fc.nat(), fc.nat(), fc.nat(255), (items, choice, place, mask) => {
      const hashes = items.map(leafHash);
      const index = choice % items.length;
      const leaf = hashes[index] ?? EMPTY_ROOT;
      const root = rootOf(hashes);
      const proof = inclusionProof(hashes, index);
      assert(isIncluded(leaf, index, items.length, root, proof));
      const other = flip(leaf, place % 32, mask | 1);
      assert(!isIncluded(other, index, items.length, root, proof));
      assert(!isIncluded(leaf, index, items.length, root, [...proof, leaf]));
      assert(!isIncluded(leaf, items.length, items.length, root, proof));
      assert(!isIncluded(leaf, index, items.length, flip(root, place % 32, mask | 1), proof));
      if (proof.length > 0) {
        assert(!isIncluded(leaf, index, items.length, root, proof.slice(1)));
        const wrong = proof.map((hash, at) =>
          at === place % proof.length ? flip(hash, 0, mask | 1) : hash,
        );
        assert(!isIncluded(leaf, index, items.length, root, wrong));
      }
    }),
    options,
  );
});

test("every prefix is proven consistent, and another history isn't", () => {
  fc.assert(
    fc.property(leaves, fc.nat(), fc.nat(), (items, choice, changed) => {
      const hashes = items.map(leafHash);
      const size = 1 + (choice % items.length);
      const first = rootOf(hashes.slice(0, size));
      const second = rootOf(hashes);
      const proof = consistencyProof(hashes, size);
      assert(isConsistent(size, first, items.length, second, proof));
      const forged = hashes.map((hash, index) =>
        index === changed % size ? leafHash(utf8("forged")) : hash,
      );
      const other = rootOf(forged);
      assert(!isConsistent(size, first, items.length, other, consistencyProof(forged, size)));
      assert(!isConsistent(size, first, items.length, second, [...proof, first]));
      assert(!isConsistent(0, EMPTY_ROOT, items.length, second, proof));
      if (size < items.length) {
        assert(!isConsistent(size, first, items.length, second, proof.slice(1)));
      }
    }),
    options,
  );
});
