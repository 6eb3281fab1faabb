import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { drive, refusalOf, storePlace } from "../../testing/stores.js";

/** Files can be given away by root alone. */
const UNLESS_ROOT = process.getuid?.() === 0 ? false : "only root can give a file away";

const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

describe("the directory", () => {
  for (const wrong of [0o755, 0o750, 0o701, 0o710, 0o770, 0o500, 0o1700]) {
    test(`mode ${wrong.toString(8)} is refused, and 700 isn't`, (t) => {
      const { open, directory } = storePlace(t);
      chmodSync(directory, wrong);
      assert.equal(
        refusalOf(() => open()),
        "STORE_DIRECTORY",
      );
      chmodSync(directory, 0o700);
      assert.equal(
        refusalOf(() => open()),
        "accepted",
      );
    });
  }

  test("a link to one isn't one, nor is one behind a link, nor a file, nor nothing", (t) => {
    const { open, directory } = storePlace(t);
    const real = join(directory, "real");
    mkdirSync(real, { mode: 0o700 });
    mkdirSync(join(real, "deep"), { mode: 0o700 });
    symlinkSync(real, join(directory, "link"));
    writeFileSync(join(directory, "file"), "", { mode: 0o700 });
    for (const name of ["link", "link/deep", "file", "absent"]) {
      assert.equal(
        refusalOf(() => open({ directory: join(directory, name) })),
        "STORE_DIRECTORY",
      );
    }
    assert.equal(
      refusalOf(() => open({ directory: real })),
      "accepted",
    );
    assert.equal(
      refusalOf(() => open({ directory: join(real, "deep") })),
      "accepted",
    );
  });

  test("another user's is refused", { skip: UNLESS_ROOT }, (t) => {
    const { open, directory } = storePlace(t);
    chownSync(directory, 65_534, 65_534);
    assert.equal(
      refusalOf(() => open()),
      "STORE_DIRECTORY",
    );
    chownSync(directory, 0, 0);
    assert.equal(
      refusalOf(() => open()),
      "accepted",
    );
  });
});

describe("the file", () => {
  test("is made with mode 600 in any umask, and so is what is beside it", (t) => {
    const { open, directory, file } = storePlace(t);
    const before = process.umask(0);
    try {
      drive(open()).confirmed("c1");
    } finally {
      process.umask(before);
    }
    assert.equal(mode(file), "600");
    for (const name of readdirSync(directory)) assert.equal(mode(join(directory, name)), "600");
  });

  for (const wrong of [0o640, 0o604, 0o660, 0o400, 0o4600]) {
    test(`mode ${wrong.toString(8)} is refused, and 600 isn't`, (t) => {
      const { open, file } = storePlace(t);
      open().close();
      chmodSync(file, wrong);
      assert.equal(
        refusalOf(() => open()),
        "STORE_FILE",
      );
      chmodSync(file, 0o600);
      assert.equal(
        refusalOf(() => open()),
        "accepted",
      );
    });
  }

  test("a link is refused, to the very same file too; so is a second name, a pipe and a directory", (t) => {
    const { open, file, directory } = storePlace(t);
    open().close();
    const aside = join(directory, "aside");
    renameSync(file, aside);

    symlinkSync(aside, file);
    assert.equal(
      refusalOf(() => open()),
      "STORE_FILE",
    );
    rmSync(file);
    linkSync(aside, file);
    assert.equal(
      refusalOf(() => open()),
      "STORE_FILE",
    );
    rmSync(file);
    execFileSync("mkfifo", ["-m", "600", file]);
    assert.equal(
      refusalOf(() => open()),
      "STORE_FILE",
    );
    rmSync(file);
    mkdirSync(file, { mode: 0o600 });
    assert.equal(
      refusalOf(() => open()),
      "STORE_FILE",
    );
    rmSync(file, { recursive: true });

    renameSync(aside, file);
    assert.equal(
      refusalOf(() => open()),
      "accepted",
    );
  });

  test("the name that its draft had doesn't count: its maker was killed, or isn't done yet", (t) => {
    const { open, file, directory } = storePlace(t);
    open().close();
    const others = join(directory, ".new-others");
    const drafts = join(directory, ".new-killed");
    for (const made of [others, drafts]) mkdirSync(made);
    writeFileSync(join(others, "store"), "of one that is being made");
    linkSync(file, join(drafts, "store"));
    assert.equal(
      refusalOf(() => open()),
      "accepted",
    );
    assert.deepEqual([statSync(file).nlink, readdirSync(drafts)], [1, []]);
    assert.deepEqual(readdirSync(others), ["store"]);
    linkSync(file, join(drafts, "another"));
    assert.equal(
      refusalOf(() => open()),
      "STORE_FILE",
    );
  });

  test("a link to nowhere makes no store where it points", (t) => {
    const { open, file, directory } = storePlace(t);
    const elsewhere = join(directory, "elsewhere");
    symlinkSync(elsewhere, file);
    assert.equal(
      refusalOf(() => open()),
      "STORE_FILE",
    );
    assert.ok(!existsSync(elsewhere));
  });

  test("another user's is refused", { skip: UNLESS_ROOT }, (t) => {
    const { open, file } = storePlace(t);
    open().close();
    chownSync(file, 65_534, 65_534);
    assert.equal(
      refusalOf(() => open()),
      "STORE_FILE",
    );
    chownSync(file, 0, 0);
    assert.equal(
      refusalOf(() => open()),
      "accepted",
    );
  });

  test("a store that is gone is missing, and not begun anew", (t) => {
    const { open, file } = storePlace(t);
    open().close();
    rmSync(file);
    assert.equal(
      refusalOf(() => open()),
      "STORE_MISSING",
    );
  });

  test("one that is exchanged while it is open is noticed before anything is read from it", (t) => {
    const { open, file, directory } = storePlace(t);
    const store = open();
    drive(store).executing("c1");
    renameSync(file, join(directory, "aside"));
    assert.equal(
      refusalOf(() => store.load("c1")),
      "STORE_FILE",
    );
    assert.equal(
      refusalOf(() => store.recoverInterrupted()),
      "STORE_FILE",
    );
    renameSync(join(directory, "aside"), file);
    assert.equal(
      refusalOf(() => store.load("c1")),
      "accepted",
    );
  });
});
