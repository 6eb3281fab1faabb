import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import { derivationKey, derive, recallDerivation } from "./derived.js";
import { tryLock } from "./lock.js";
import { listNames, readName, setName } from "./names.js";
import { objectPath, putBytes, readSmallObject, verifiedObjectPath } from "./objects.js";
import { formatOwner, thisProcess } from "./owner.js";
import { prune } from "./prune.js";
import { openStore, type Store } from "./store.js";

const fresh = (t: TestContext): Store => openStore(join(temporaryDirectory(t), "store"));
const INDEX = fileURLToPath(new URL("index.js", import.meta.url));

test("a store is its owner's alone and refuses a place that is not", (t) => {
  const directory = join(temporaryDirectory(t), "store");
  const store = openStore(directory);
  for (const path of [directory, store.objects, store.names]) {
    assert.equal(statSync(path).mode & 0o777, 0o700);
  }
  chmodSync(directory, 0o777);
  openStore(directory);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  const link = join(temporaryDirectory(t), "link");
  symlinkSync(directory, link);
  assert.throws(() => openStore(link), { code: "STORE_PERMISSION" });
  const file = join(temporaryDirectory(t), "file");
  writeFileSync(file, "");
  assert.throws(() => openStore(join(file, "store")), { code: "STORE_IO" });
});

test("equal bytes are one read-only object", async (t) => {
  const store = fresh(t);
  const [one, two] = [putBytes(store, "same"), putBytes(store, "same")];
  assert.deepEqual(one, two);
  assert.equal(
    one.digest,
    "sha256:0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5",
  );
  const path = await verifiedObjectPath(store, one.digest);
  assert.equal(statSync(path).mode & 0o777, 0o444);
  assert.deepEqual(readdirSync(store.tmp), []);
});

test("an object whose bytes changed is not handed out", async (t) => {
  const store = fresh(t);
  const { digest } = putBytes(store, "original");
  const path = await verifiedObjectPath(store, digest);
  chmodSync(path, 0o600);
  writeFileSync(path, "0riginal");
  await assert.rejects(verifiedObjectPath(store, digest), { code: "STORE_CORRUPT" });
  assert.throws(() => readSmallObject(store, digest, 100), { code: "STORE_CORRUPT" });
  writeFileSync(path, "original");
  await verifiedObjectPath(store, digest);
  const absent = `sha256:${"0".repeat(64)}`;
  await assert.rejects(verifiedObjectPath(store, absent), { code: "STORE_CORRUPT" });
  assert.throws(() => readSmallObject(store, digest, 3), { code: "STORE_BOUND" });
});

test("names are plain and read back", (t) => {
  const store = fresh(t);
  const { digest } = putBytes(store, "x");
  setName(store, "base", digest);
  assert.equal(readName(store, "base"), digest);
  assert.equal(readName(store, "other"), undefined);
  for (const name of ["", "../x", "a/b", ".a", "A", "a".repeat(65), "a\n"]) {
    assert.throws(() => setName(store, name, digest), { code: "STORE_NAME" }, name);
  }
  writeFileSync(join(store.names, "broken"), "sha256:short");
  assert.throws(() => readName(store, "broken"), { code: "STORE_CORRUPT" });
  assert.deepEqual(listNames(store), ["base", "broken"]);
});

test("a derivation is built once for its inputs", async (t) => {
  const store = fresh(t);
  let built = 0;
  const build = async () => {
    built += 1;
    return { out: putBytes(store, "result") };
  };
  const key = derivationKey("test", 1, { a: 1, b: ["x"] });
  assert.equal(key, derivationKey("test", 1, { b: ["x"], a: 1 }));
  assert.notEqual(key, derivationKey("test", 2, { a: 1, b: ["x"] }));
  const results = await Promise.all([1, 2, 3].map(() => derive(store, key, build)));
  assert.equal(built, 1);
  assert.deepEqual(results.map(({ reused }) => reused).sort(), [false, true, true]);
});

test("a derivation whose object is gone is built again", async (t) => {
  const store = fresh(t);
  const key = derivationKey("test", 1, null);
  await derive(store, key, async () => ({ out: putBytes(store, "result") }));
  prune(store, new Set());
  assert.equal(recallDerivation(store, key), undefined);
  const { reused } = await derive(store, key, async () => ({ out: putBytes(store, "result") }));
  assert.ok(!reused);
});

test("prune keeps what it is told to, and everything while a build runs", (t) => {
  const store = fresh(t);
  const [kept, gone] = [putBytes(store, "kept"), putBytes(store, "gone")];
  const build = tryLock(store.locks, "build");
  assert.equal(prune(store, new Set([kept.digest])).objects, 0);
  assert.ok(existsSync(objectPath(store, gone.digest)));
  if (build.kind === "taken") build.lock.release();
  assert.deepEqual(prune(store, new Set([kept.digest])), { objects: 1, bytes: 4, temporary: 0 });
  assert.ok(existsSync(objectPath(store, kept.digest)));
  assert.ok(!existsSync(objectPath(store, gone.digest)));
});

test("the draft of a lock goes with its maker, also an empty one", (t) => {
  const store = fresh(t);
  const dead = `${"9".repeat(9)}-1-00000000-0000-0000-0000-000000000000`;
  const mine = formatOwner(thisProcess());
  for (const maker of [dead, mine]) writeFileSync(join(store.locks, `k.lock.${maker}.draft`), "");
  assert.equal(prune(store, new Set()).temporary, 1);
  assert.deepEqual(readdirSync(store.locks), [`k.lock.${mine}.draft`]);
});

test("a builder killed at any moment leaves whole objects and no scratch after a prune", async (t) => {
  const directory = join(temporaryDirectory(t), "store");
  const source = `
    import { derive, derivationKey, openStore, putBytes, setName } from ${JSON.stringify(INDEX)};
    const store = openStore(${JSON.stringify(directory)});
    process.stdout.write("go");
    for (let round = 0; ; round += 1) {
      const object = putBytes(store, Buffer.alloc(200_000, round % 5));
      setName(store, "name", object.digest);
      await derive(store, derivationKey("k", 1, round), async () => ({ object }));
    }`;
  for (const delay of [0, 3, 10, 40, 90]) {
    const builder = spawn(process.execPath, ["--input-type=module", "-e", source], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(builder.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, delay));
    builder.kill("SIGKILL");
    await once(builder, "close");
    const store = openStore(directory);
    const digest = readName(store, "name");
    if (digest !== undefined) assert.equal(readSmallObject(store, digest, 1e6).length, 200_000);
    prune(store, new Set(digest === undefined ? [] : [digest]));
    for (const shard of readdirSync(store.objects)) {
      for (const hex of readdirSync(join(store.objects, shard))) {
        readSmallObject(store, `sha256:${hex}`, 1e6);
      }
    }
    assert.deepEqual([readdirSync(store.tmp), readdirSync(store.locks)], [[], []]);
    for (const key of readdirSync(store.derived)) readFileSync(join(store.derived, key));
  }
});
