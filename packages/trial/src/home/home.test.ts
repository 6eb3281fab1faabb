import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { signingKeyFromSeed } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import {
  environmentKey,
  initialiseKeys,
  journalPaths,
  layoutOf,
  loadControllerKey,
  loadTrust,
  revokeKey,
  rotateKeys,
  type StateLayout,
  withJournal,
} from "./index.js";
import { loadJournal, openJournal } from "./journal.js";

const NOW = new Date("2026-11-30T00:00:00Z");
const LATER = new Date("2026-12-01T00:00:00Z");
const seed = (byte: number): Buffer => Buffer.alloc(32, byte);

const state = (t: { after(fn: () => void): void }): StateLayout => {
  const layout = layoutOf(temporaryDirectory(t));
  for (const directory of [layout.keys, layout.journal]) mkdirSync(directory, { mode: 0o700 });
  return layout;
};

describe("the key of environments", () => {
  test("is made once, private, and stays when signing keys are rotated", (t) => {
    const layout = state(t);
    initialiseKeys(layout, seed(1), NOW);
    const key = environmentKey(layout, seed(7));
    rotateKeys(layout, seed(2), NOW);
    assert.deepEqual(Buffer.from(environmentKey(layout, seed(8))), Buffer.from(key));
    assert.deepEqual(Buffer.from(key), seed(7));
    assert.equal(statSync(layout.environmentKey).mode & 0o777, 0o600);
  });

  test("a broken one is refused, not replaced", (t) => {
    const layout = state(t);
    writeFileSync(layout.environmentKey, "short");
    assert.throws(() => environmentKey(layout, seed(7)), { code: "KEY_FORMAT" });
  });
});

describe("the controller's key", () => {
  test("is private, and listed in the trust file with what it may do", (t) => {
    const layout = state(t);
    const key = initialiseKeys(layout, seed(1), NOW);
    assert.equal(statSync(layout.controllerKey).mode & 0o777, 0o600);
    assert.equal(loadControllerKey(layout).public.keyId, key.public.keyId);
    const [entry] = loadTrust(layout.trust).authorities;
    assert.equal(entry?.key.keyId, key.public.keyId);
    assert.ok(entry?.namespaces.includes("verdict"));
  });

  test("is never overwritten", (t) => {
    const layout = state(t);
    initialiseKeys(layout, seed(1), NOW);
    const before = readFileSync(layout.controllerKey);
    assert.throws(() => initialiseKeys(layout, seed(2), NOW), { code: "KEY_EXISTS" });
    assert.deepEqual(readFileSync(layout.controllerKey), before);
  });

  test("a key whose making was broken off is made again", (t) => {
    const layout = state(t);
    writeFileSync(`${layout.controllerKey}.new`, "half");
    writeFileSync(`${layout.trust}.new`, "half");
    initialiseKeys(layout, seed(1), NOW);
    assert.deepEqual(readdirSync(layout.keys).sort(), ["controller.pem", "trust.json"]);
  });

  test("rotated: the old one ends now, stays for old evidence, and the new one signs", (t) => {
    const layout = state(t);
    const old = initialiseKeys(layout, seed(1), NOW);
    const fresh = rotateKeys(layout, seed(2), LATER);
    assert.equal(loadControllerKey(layout).public.keyId, fresh.public.keyId);
    const entries = loadTrust(layout.trust).authorities;
    const ended = entries.find(({ key }) => key.keyId === old.public.keyId);
    assert.equal(ended?.notAfter, LATER.toISOString());
    assert.equal(entries.length, 2);
    const retired = `retired-${old.public.keyId.slice(7, 23)}.pem`;
    assert.deepEqual(readdirSync(layout.keys).sort(), ["controller.pem", retired, "trust.json"]);
  });

  test("revoked: the instant is kept, and the first one counts", (t) => {
    const layout = state(t);
    const { public: key } = initialiseKeys(layout, seed(1), NOW);
    revokeKey(layout, key.keyId, NOW);
    revokeKey(layout, key.keyId, LATER);
    assert.equal(loadTrust(layout.trust).authorities[0]?.revoked, NOW.toISOString());
    assert.throws(() => revokeKey(layout, `sha256:${"0".repeat(64)}`, NOW), {
      code: "KEY_UNKNOWN",
    });
  });

  test("a missing or spoilt file says what to do", (t) => {
    const layout = state(t);
    assert.throws(() => loadControllerKey(layout), { code: "KEY_MISSING", fix: /keys init/ });
    assert.throws(() => loadTrust(layout.trust), { code: "TRUST_MISSING", fix: /keys init/ });
    writeFileSync(layout.controllerKey, "no key");
    assert.throws(() => loadControllerKey(layout), { code: "KEY_FORMAT" });
    writeFileSync(layout.trust, "{");
    assert.throws(() => loadTrust(layout.trust));
  });
});

const run = (name: string, experiment = 2) => ({
  run: name,
  manifest: `sha256:${"1".repeat(64)}` as const,
  experiment: `sha256:${String(experiment).repeat(64)}` as const,
  wall: NOW.toISOString(),
});

describe("the journal", () => {
  const key = signingKeyFromSeed(seed(1));

  test("takes entries of many processes, each once, in one chain", async (t) => {
    const layout = state(t);
    const writer = fileURLToPath(new URL("../testing/journal-writer.js", import.meta.url));
    const each = 5;
    const writers = await Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        const child = fork(writer, [layout.state, String(number), String(each)]);
        const [code] = await once(child, "exit");
        return code as number;
      }),
    );
    assert.deepEqual(writers, [0, 0, 0, 0]);
    const paths = journalPaths(layout, key.public.keyId);
    // Reading checks the chain, the tree and the signature of its head.
    const journal = loadJournal(paths, key.public, false);
    assert.equal(journal.entries.length, 4 * each);
    assert.equal(new Set(journal.entries.map(({ run: name }) => name)).size, 4 * each);
    assert.deepEqual(
      readdirSync(layout.journal).filter((name) => name.includes("lock")),
      [],
    );
  });

  test("a write that was broken off anywhere costs nobody else theirs", async (t) => {
    const layout = state(t);
    const paths = journalPaths(layout, key.public.keyId);
    await withJournal(layout, key, (journal) => journal.sealed(run("before")));
    const [log, checkpoints] = [readFileSync(paths.log), readFileSync(paths.checkpoints)];
    await withJournal(layout, key, (journal) => journal.sealed(run("broken")));
    const broken = {
      log: readFileSync(paths.log).subarray(log.length),
      checkpoints: readFileSync(paths.checkpoints).subarray(checkpoints.length),
    };
    // The log's line is durable before its checkpoint is begun.
    const states: [number, number][] = [
      ...[0, 1, 100, broken.log.length - 1, broken.log.length].map((n): [number, number] => [n, 0]),
      ...[1, 30, broken.checkpoints.length - 1].map((n): [number, number] => [
        broken.log.length,
        n,
      ]),
    ];
    for (const [line, note] of states) {
      writeFileSync(paths.log, Buffer.concat([log, broken.log.subarray(0, line)]));
      writeFileSync(
        paths.checkpoints,
        Buffer.concat([checkpoints, broken.checkpoints.subarray(0, note)]),
      );
      await withJournal(layout, key, (journal) => journal.sealed(run("after")));
      const names = loadJournal(paths, key.public, false).entries.map(({ run: name }) => name);
      const whole = line === broken.log.length;
      assert.deepEqual(names, whole ? ["before", "broken", "after"] : ["before", "after"]);
    }
  });

  test("a signed entry that is gone is no broken write", async (t) => {
    const layout = state(t);
    const paths = journalPaths(layout, key.public.keyId);
    await withJournal(layout, key, (journal) => journal.sealed(run("first")));
    await withJournal(layout, key, (journal) => journal.sealed(run("second")));
    const log = readFileSync(paths.log);
    writeFileSync(paths.log, log.subarray(0, log.length - 10));
    await assert.rejects(
      withJournal(layout, key, (journal) => journal.sealed(run("third"))),
      { code: "JOURNAL_FORMAT" },
    );
  });

  test("counts the earlier attempts at the same experiment", async (t) => {
    const layout = state(t);
    await withJournal(layout, key, (journal) => journal.sealed(run("first")));
    const second = await withJournal(layout, key, (journal) => journal.sealed(run("second")));
    assert.deepEqual(
      second.earlierAttempts.map(({ run: name }) => name),
      ["first"],
    );
  });

  test("is gone on with from its kept head, to the same bytes as when it is read", async (t) => {
    const layouts = [state(t), state(t)] as const;
    const [fast, slow] = layouts.map((layout) => journalPaths(layout, key.public.keyId));
    assert.ok(fast && slow);
    for (let i = 0; i < 12; i += 1) {
      rmSync(slow.head, { force: true });
      assert.equal(openJournal(fast, key.public).how, i === 0 ? "read" : "resumed");
      assert.equal(openJournal(slow, key.public).how, "read");
      const sealed = await Promise.all(
        layouts.map((layout) =>
          withJournal(layout, key, (journal) => {
            const first = journal.sealed(run(`run-${i}`, i % 3));
            journal.verdict(run(`run-${i}`, i % 3), "FAIL", `sha256:${"2".repeat(64)}`);
            return [first, journal.sealed(run(`again-${i}`, i % 3))];
          }),
        ),
      );
      assert.deepEqual(sealed[0], sealed[1]);
      assert.equal(sealed[0]?.[1]?.earlierAttempts.length, 2 * Math.floor(i / 3) + 1);
      for (const name of ["log", "checkpoints"] as const)
        assert.deepEqual(readFileSync(fast[name]), readFileSync(slow[name]));
    }
    loadJournal(fast, key.public, false);
  });

  test("a kept head of other files, of another history or made up is not gone on from", async (t) => {
    const layout = state(t);
    const paths = journalPaths(layout, key.public.keyId);
    const add = (name: string) => withJournal(layout, key, (journal) => journal.sealed(run(name)));
    const how = () => openJournal(paths, key.public).how;
    await add("first");
    const old = readFileSync(paths.head, "utf8");
    await add("second");
    const kept = readFileSync(paths.head, "utf8");
    assert.equal(how(), "resumed");
    const { head: made, ...files } = JSON.parse(kept);
    const wrong = { ...made, subtrees: [{ height: 1, hash: "0".repeat(64) }] };
    const misled = { ...made, prev: `sha256:${"0".repeat(64)}` };
    const madeUp = [wrong, misled].map((head) => JSON.stringify({ ...files, head }));
    for (const text of [old, "", "{", ...madeUp]) {
      writeFileSync(paths.head, text);
      assert.equal(how(), "read", text);
    }
    writeFileSync(paths.head, kept);
    assert.equal(how(), "resumed", "the control: it was the text alone");
    const stranger = signingKeyFromSeed(seed(9)).public;
    assert.throws(() => openJournal(paths, stranger), { code: "JOURNAL_FORMAT" });
    // Written again with the same bytes: only the change time tells.
    writeFileSync(paths.log, readFileSync(paths.log));
    assert.equal(how(), "read");
  });

  test("an entry that was changed afterwards is found before anything is added", async (t) => {
    const layout = state(t);
    await withJournal(layout, key, (journal) => journal.sealed(run("first")));
    const { log } = journalPaths(layout, key.public.keyId);
    writeFileSync(log, readFileSync(log, "utf8").replace('"first"', '"f1rst"'));
    await assert.rejects(withJournal(layout, key, (journal) => journal.sealed(run("second"))));
    assert.equal(readFileSync(log, "utf8").includes("second"), false);
  });
});
