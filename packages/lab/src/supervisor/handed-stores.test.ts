import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { openAnchorFile, openContractStore } from "@drydock/acceptance";
import { temporaryDirectory } from "@drydock/testkit";
import type { HandedStore } from "../scenario/index.js";
import { HandedStores } from "./handed-stores.js";

const place = (t: TestContext) => {
  const within = temporaryDirectory(t);
  const handed: HandedStore = {
    scenario: "clean_passthrough",
    directory: join(within, "store"),
    anchorDirectory: join(within, "anchor"),
    storeId: "rehearsal",
    key: randomBytes(32),
  };
  return { stores: new HandedStores(within), within, handed };
};

const make = ({ directory, anchorDirectory, storeId, key }: HandedStore): void => {
  for (const path of [directory, anchorDirectory]) mkdirSync(path, { mode: 0o700 });
  const anchor = openAnchorFile({ directory: anchorDirectory, storeId });
  openContractStore({ directory, storeId, key, clock: Date.now, anchor }).close();
  anchor.close();
};

describe("stores that are handed over", () => {
  test("lie in the rehearsal's directory, and nowhere else", (t) => {
    const { stores, within, handed } = place(t);
    stores.take(handed);
    for (const path of ["/tmp/elsewhere", `${within}-beside/store`, `${within}/../up`, within])
      for (const part of ["directory", "anchorDirectory"])
        assert.throws(() => stores.take({ ...handed, [part]: path }), { code: "LAB_STORE" }, path);
  });

  test("are so many at most", (t) => {
    const { stores, handed } = place(t);
    for (let taken = 0; taken < 256; taken += 1) stores.take(handed);
    assert.throws(() => stores.take(handed), { code: "LAB_STORE" });
  });

  test("are forgotten with their keys when their scenario has come to its end", (t) => {
    const { stores, handed } = place(t);
    stores.take(handed);
    assert.equal(stores.scenario, "clean_passthrough");
    stores.forget();
    assert.equal(stores.scenario, null);
    assert.ok(handed.key.every((byte) => byte === 0));
    assert.deepEqual(stores.recover(Date.now), { contracts: [], unreadable: [] });
  });

  test("are opened, and those that can't be are named", (t) => {
    const { stores, handed } = place(t);
    make(handed);
    stores.take(handed);
    assert.deepEqual(stores.recover(Date.now), { contracts: [], unreadable: [] });
    writeFileSync(join(handed.directory, "contracts.sqlite"), "no store any more");
    const { contracts, unreadable } = stores.recover(Date.now);
    assert.deepEqual(contracts, []);
    assert.equal(unreadable.length, 1);
    assert.match(unreadable[0]?.code ?? "", /^STORE_/);
  });

  test("that weren't begun yet have nothing to lose", (t) => {
    const { stores, handed } = place(t);
    stores.take(handed);
    assert.deepEqual(stores.recover(Date.now), { contracts: [], unreadable: [] });
  });
});
