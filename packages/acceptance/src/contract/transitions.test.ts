import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACT_STATES, type ContractState } from "./model.js";
import { type Authority, mayTransition } from "./transitions.js";

/** Rows from, columns to: a automatic, d dedicated, m manual, anything else never. */
const TABLE = `
                 PREPARING PREPARED EXECUTING VERIFIED ROLLING_BACK ROLLED_BACK ROLLBACK_FAILED RECONCILIATION FAILED EXPIRED
PREPARING        .         a        .         .        .            .           .               .              a      a
PREPARED         .         .        a         .        .            .           .               .              a      a
EXECUTING        .         .        .         d        .            .           .               a              a      .
VERIFIED         .         .        .         .        a            .           .               .              .      .
ROLLING_BACK     .         .        .         .        .            d           a               a              .      .
ROLLED_BACK      .         .        .         .        .            .           .               .              .      .
ROLLBACK_FAILED  .         .        .         .        .            .           .               .              .      .
RECONCILIATION   .         .        .         m        m            m           m               .              m      .
FAILED           .         .        .         .        .            .           .               .              .      .
EXPIRED          .         .        .         .        .            .           .               .              .      .
`;

const LETTERS: Readonly<Record<Authority, string>> = {
  automatic: "a",
  dedicated: "d",
  manual: "m",
};

const lines = TABLE.trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/));
const columns = lines[0] as ContractState[];
const rows = lines.slice(1).map(([from, ...cells]) => ({ from: from as ContractState, cells }));

test("the table below has all ten states both ways", () => {
  assert.deepEqual([...columns].sort(), [...CONTRACT_STATES].sort());
  assert.deepEqual(rows.map(({ from }) => from).sort(), [...CONTRACT_STATES].sort());
  for (const { cells } of rows) assert.equal(cells.length, CONTRACT_STATES.length);
});

for (const authority of ["automatic", "dedicated", "manual"] as const) {
  test(`of the 100 pairs of states a step that is ${authority} takes exactly those of the table`, () => {
    let pairs = 0;
    for (const { from, cells } of rows) {
      columns.forEach((to, index) => {
        pairs += 1;
        assert.equal(
          mayTransition(from, to, authority),
          cells[index] === LETTERS[authority],
          `${from} → ${to}`,
        );
      });
    }
    assert.equal(pairs, 100);
  });
}

test("RECONCILIATION is left by nobody but under signature, and what is over stays over", () => {
  for (const to of CONTRACT_STATES) {
    assert.equal(mayTransition("RECONCILIATION", to, "automatic"), false);
    assert.equal(mayTransition("RECONCILIATION", to, "dedicated"), false);
    for (const from of ["FAILED", "ROLLED_BACK", "ROLLBACK_FAILED", "EXPIRED"] as const) {
      for (const authority of ["automatic", "dedicated", "manual"] as const) {
        assert.equal(mayTransition(from, to, authority), false);
      }
    }
  }
});
