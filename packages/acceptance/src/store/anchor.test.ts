import assert from "node:assert/strict";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ownDirectory, termsFor } from "../testing/contracts.js";
import { drive, refusalOf, STORE_ID, storePlace } from "../testing/stores.js";
import { emptyHead } from "./head.js";
import { type AnchorPoint, openAnchorFile, type RollbackAnchor } from "./index.js";
import { judgeAnchor } from "./judge-anchor.js";
import { rowMac } from "./mac.js";

type Test = { after(fn: () => void): void };

const fileAnchor = (t: Test, directory = ownDirectory(t), storeId = STORE_ID) => {
  const anchor = openAnchorFile({ directory, storeId });
  t.after(() => anchor.close());
  return anchor;
};

describe("a store with an anchor", () => {
  test("that is put back to an earlier time doesn't open; without an anchor it would", (t) => {
    const anchor = fileAnchor(t);
    const { open, file, directory } = storePlace(t, { anchor });
    const store = open();
    const waiting = drive(store).confirmed("c1");
    const then = join(directory, "then");
    copyFileSync(file, then);
    store.acquireExecuting(waiting);
    store.close();
    const now = join(directory, "now");
    copyFileSync(file, now);

    copyFileSync(then, file);
    assert.equal(
      refusalOf(() => open()),
      "STORE_ROLLED_BACK",
    );
    copyFileSync(now, file);
    assert.equal(
      refusalOf(() => open()),
      "accepted",
    );

    const loose = storePlace(t);
    const other = loose.open();
    const same = drive(other).confirmed("c1");
    const earlier = join(loose.directory, "then");
    copyFileSync(loose.file, earlier);
    other.acquireExecuting(same);
    other.close();
    copyFileSync(earlier, loose.file);
    assert.equal(loose.open().load("c1").state, "PREPARED");
  });

  test("that is put back while it is open is noticed by whoever has it open", (t) => {
    const anchor = fileAnchor(t);
    const { open, file, directory } = storePlace(t, { anchor });
    const store = open();
    const waiting = drive(store).confirmed("c1");
    const then = join(directory, "then");
    copyFileSync(file, then);
    store.acquireExecuting(waiting);
    copyFileSync(then, file);
    assert.equal(
      refusalOf(() => store.load("c1")),
      "STORE_ROLLED_BACK",
    );
  });

  test("that went another way from an earlier time doesn't open", (t) => {
    const anchor = fileAnchor(t);
    const { open, file, directory, options } = storePlace(t, { anchor });
    const store = open();
    const contract = drive(store).prepared("c1");
    const then = join(directory, "then");
    copyFileSync(file, then);
    store.fail(contract, { failureClass: "X", exceptionClass: null });
    store.close();
    copyFileSync(then, file);
    // Whoever has the key writes as many steps, others, with an anchor of his own.
    const forged = fileAnchor(t);
    const ahead = forgetful(forged);
    const forger = open({ ...options, anchor: ahead });
    forger.fail(contract, { failureClass: "Y", exceptionClass: null });
    forger.close();
    assert.equal(
      refusalOf(() => open()),
      "STORE_ROLLED_BACK",
    );
  });

  test("isn't opened without it", (t) => {
    const { open, directory, options } = storePlace(t);
    const anchor = fileAnchor(t);
    open({ ...options, anchor }).close();
    assert.equal(
      refusalOf(() => open({ directory })),
      "STORE_UNANCHORED",
    );
    assert.equal(
      refusalOf(() => open({ ...options, anchor })),
      "accepted",
    );
  });

  test("isn't opened with an anchor that has forgotten it, or that is another store's", (t) => {
    const anchor = fileAnchor(t);
    const { open, options } = storePlace(t, { anchor });
    open().close();
    assert.equal(
      refusalOf(() => open({ ...options, anchor: fileAnchor(t) })),
      "STORE_ANCHOR",
    );
    const point = anchor.read();
    assert.ok(point !== null);
    const foreign = { ...anchor, read: () => ({ ...point, storeId: "store-2" }) };
    assert.equal(
      refusalOf(() => open({ ...options, anchor: foreign })),
      "STORE_ANCHOR",
    );
  });

  test("begins where it is when it is anchored later", (t) => {
    const { open, options } = storePlace(t);
    drive(open()).confirmed("c1");
    const anchor = fileAnchor(t);
    const store = open({ ...options, anchor });
    assert.equal(anchor.read()?.generation, 3);
    store.acquireExecuting(store.load("c1"));
    assert.equal(anchor.read()?.generation, 4);
  });

  test("whose last write its anchor missed opens, and tells it", (t) => {
    const { open, openWithHooks, options } = storePlace(t, { anchor: fileAnchor(t) });
    const contract = drive(open()).confirmed("c1");
    const store = openWithHooks({
      afterCommit: () => {
        throw new Error("died");
      },
    });
    assert.throws(() => store.acquireExecuting(contract), /died/);
    const { anchor } = options as typeof options & { anchor: RollbackAnchor };
    assert.equal(anchor.read()?.generation, 3);
    assert.equal(open().load("c1").state, "EXECUTING");
    assert.equal(anchor.read()?.generation, 4);
  });

  test("that can't tell its anchor says that the change is durable, and acts no further", (t) => {
    const anchor = fileAnchor(t);
    let broken = false;
    const fragile: RollbackAnchor = {
      read: () => anchor.read(),
      advance: (point) => {
        if (broken) throw new Error("no disk");
        anchor.advance(point);
      },
    };
    const { open } = storePlace(t, { anchor: fragile });
    const store = open();
    const contract = drive(store).confirmed("c1");
    broken = true;
    assert.equal(
      refusalOf(() => store.acquireExecuting(contract)),
      "STORE_COMMITTED_UNANCHORED",
    );
    assert.equal(
      refusalOf(() => store.load("c1")),
      "STORE_ANCHOR",
    );
    broken = false;
    assert.equal(store.load("c1").state, "EXECUTING");
  });

  test("whose anchor can't be read does nothing", (t) => {
    let broken = false;
    const anchor = fileAnchor(t);
    const fragile: RollbackAnchor = {
      ...anchor,
      read: () => {
        if (broken) throw new Error("no disk");
        return anchor.read();
      },
    };
    const store = storePlace(t, { anchor: fragile }).open();
    broken = true;
    assert.equal(
      refusalOf(() => store.create(termsFor("c1"))),
      "STORE_ANCHOR",
    );
    broken = false;
    assert.equal(
      refusalOf(() => store.create(termsFor("c1"))),
      "accepted",
    );
  });
});

/** An anchor that believes whatever store is opened with it for the first time. */
const forgetful = (anchor: RollbackAnchor): RollbackAnchor => {
  let told = false;
  return {
    read: () => (told ? anchor.read() : { storeId: STORE_ID, generation: 0, head: GENESIS }),
    advance: (point) => {
      told = true;
      anchor.advance(point);
    },
  };
};

const GENESIS = emptyHead(STORE_ID, rowMac(Buffer.alloc(32, 5), STORE_ID)).head;

test("an anchor judges by generation and head", () => {
  const head = { ...emptyHead(STORE_ID, () => "g"), events: 3, head: "h3" };
  const macAt = (sequence: number) => (sequence <= 3 ? `h${sequence}` : null);
  const judge = (point: Partial<AnchorPoint>) =>
    judgeAnchor(head, { storeId: STORE_ID, generation: 3, head: "h3", ...point }, macAt);
  assert.equal(judge({}), "same");
  assert.equal(judge({ generation: 2, head: "h2" }), "behind");
  assert.equal(judge({ generation: 4, head: "h4" }), "rolled-back");
  assert.equal(judge({ head: "other" }), "rolled-back");
  assert.equal(judge({ generation: 2, head: "other" }), "rolled-back");
  assert.equal(judge({ storeId: "store-2" }), "foreign");
});

test("an anchor's file never goes back, in two processes either, and is its user's alone", (t) => {
  const directory = ownDirectory(t);
  const [one, other] = [fileAnchor(t, directory), fileAnchor(t, directory)];
  assert.equal(one.read(), null);
  const at = (generation: number) => ({ storeId: STORE_ID, generation, head: "a".repeat(64) });
  one.advance(at(5));
  other.advance(at(4));
  assert.deepEqual(other.read(), at(5));
  other.advance(at(6));
  assert.deepEqual(one.read(), at(6));
  assert.equal(fileAnchor(t, directory, "store-2").read(), null);
  chmodSync(directory, 0o750);
  assert.equal(
    refusalOf(() => fileAnchor(t, directory)),
    "STORE_DIRECTORY",
  );
});
