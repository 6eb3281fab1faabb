import assert from "node:assert/strict";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import type { FindingCode } from "../finding.js";
import { splitNotes } from "../log/checkpoint.js";
import type { EvidenceRecord } from "../record/record.js";
import { flip } from "../testing/bytes.js";
import { copies, filesOf } from "../testing/copies.js";
import { forgeLog, linesOf, writeLines } from "../testing/forge.js";
import { testKey } from "../testing/keys.js";
import { type RunFixture, TestJournal, writeRun } from "../testing/run-fixture.js";
import { controllerTrustEntry, trustOf } from "../testing/trust.js";
import { assertFails, assertHolds, verify } from "../testing/verify.js";

const roles = ["controller", "port"] as const;

test("flipping any byte in any evidence file fails", (t) => {
  const run = writeRun(temporaryDirectory(t));
  assertHolds(verify(run));
  const files = filesOf(run.directory).map((file) => ({ file, bytes: run.read(file) }));
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  fc.assert(
    fc.property(fc.nat(total - 1), fc.integer({ min: 1, max: 255 }), (place, mask) => {
      let offset = place;
      const hit = files.find(({ bytes }) => {
        if (offset < bytes.length) return true;
        offset -= bytes.length;
        return false;
      });
      assert(hit !== undefined);
      run.write(hit.file, flip(hit.bytes, offset, mask));
      const report = verify(run);
      run.write(hit.file, hit.bytes);
      assertFails(report);
      assert(
        report.findings.some((item) => item.code !== "NOT_ANCHORED"),
        `${hit.file} byte ${offset} ^ ${mask}`,
      );
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
  assertHolds(verify(run));
});

test("flipping any byte of a signature fails", (t) => {
  const run = writeRun(temporaryDirectory(t));
  const verdict = run.read("verdict.dsse.json");
  const begin = verdict.indexOf('"sig":"') + '"sig":"'.length;
  const end = verdict.indexOf('"', begin);
  assert(end - begin === 88, "64 bytes in base64");
  // Each character in turn is another one of the alphabet: only the signature itself can tell.
  for (let offset = begin; offset < end - 2; offset += 1) {
    const other = verdict[offset] === 0x41 ? 0x42 : 0x41;
    const changed = Buffer.from(verdict);
    changed[offset] = other;
    run.write("verdict.dsse.json", changed);
    assertFails(verify(run), "VERDICT_SIGNATURE");
  }
  run.write("verdict.dsse.json", verdict);
  assertHolds(verify(run));
});

test("deleting, repeating, swapping or cutting records fails and names the line", (t) => {
  const run = writeRun(temporaryDirectory(t));
  const attacks = fc.record({
    role: fc.constantFrom(...roles),
    kind: fc.constantFrom("delete", "repeat", "swap", "truncate", "cut bytes"),
    place: fc.nat(),
  });
  fc.assert(
    fc.property(attacks, ({ role, kind, place }) => {
      const lines = linesOf(run, role);
      const original = run.read(`logs/${role}.jsonl`);
      const at = place % (lines.length - 1);
      const line = lines[at] ?? "";
      const next = lines[at + 1] ?? "";
      switch (kind) {
        case "delete":
          writeLines(run, role, lines.toSpliced(at, 1));
          break;
        case "repeat":
          writeLines(run, role, lines.toSpliced(at, 0, line));
          break;
        case "swap":
          writeLines(run, role, lines.toSpliced(at, 2, next, line));
          break;
        case "truncate":
          writeLines(run, role, lines.slice(0, at));
          break;
        case "cut bytes":
          run.write(`logs/${role}.jsonl`, original.subarray(0, place % original.length));
          break;
      }
      const report = verify(run);
      run.write(`logs/${role}.jsonl`, original);
      assertFails(report, "LOG_TRUNCATED");
      assert(
        report.findings.some((item) => item.file === `logs/${role}.jsonl` && item.at !== null),
      );
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

/** Cuts a log back to its checkpoint number `keep`, checkpoints and all. */
const cutBack = (run: RunFixture, role: (typeof roles)[number], keep: number): void => {
  const notes = splitNotes(run.read(`logs/${role}.checkpoint`).toString("utf8")).slice(0, keep);
  const size = Number(notes.at(-1)?.text.split("\n")[1]);
  run.write(`logs/${role}.checkpoint`, notes.map((note) => note.text).join(""));
  writeLines(run, role, linesOf(run, role).slice(0, size));
};

test("both logs cut back together to older checkpoints fail, with and without the verdict", (t) => {
  const copy = copies(t, writeRun(temporaryDirectory(t)));
  const run = copy();
  cutBack(run, "controller", 1);
  cutBack(run, "port", 1);
  assertFails(verify(run), "LOG_TRUNCATED");
  rmSync(join(run.directory, "verdict.dsse.json"));
  assertFails(verify(run), "VERDICT_MISSING", "LOG_UNFINISHED");
  assert.equal(verify(run).verdict, "INCOMPLETE");
  assert.equal(verify(run).anchored, false);
});

test("a port log cut back behind the controller's countersignature fails", (t) => {
  const run = copies(t, writeRun(temporaryDirectory(t), { unconcluded: true }))();
  assert.equal(verify(run).integrity, "intact");
  cutBack(run, "port", 1);
  assertFails(verify(run), "COUNTERSIGN");
});

test("files swapped between two honest runs fail", (t) => {
  const root = temporaryDirectory(t);
  const journal = new TestJournal();
  const first = writeRun(join(root, "first"), { journal });
  const second = writeRun(join(root, "second"), {
    journal,
    manifest: { run: "run-2", created: "2026-11-30T11:00:00.000Z" },
    artifacts: { "coverage/lcov.info": "TN:other\n" },
  });
  assertHolds(verify(second));
  const copy = copies(t, first);
  const names = filesOf(first.directory).filter((file) => !/artifacts\/[0-9a-f]{64}$/.test(file));
  for (const name of names) {
    const run = copy();
    run.write(name, second.read(name));
    assertFails(verify(run));
  }
  for (const folder of ["logs", "artifacts"]) {
    const run = copy();
    rmSync(join(run.directory, folder), { recursive: true });
    cpSync(join(second.directory, folder), join(run.directory, folder), { recursive: true });
    assertFails(verify(run));
  }
  const run = copy();
  rmSync(join(run.directory, "logs"), { recursive: true });
  cpSync(join(second.directory, "logs"), join(run.directory, "logs"), { recursive: true });
  run.write("verdict.dsse.json", second.read("verdict.dsse.json"));
  assertFails(verify(run), "MANIFEST_DIGEST");
});

test("a run signed throughout with another key fails, whatever it delegates to itself", (t) => {
  const root = temporaryDirectory(t);
  const honest = writeRun(join(root, "honest"));
  const forged = writeRun(join(root, "forged"), { controllerKey: testKey("mallory") });
  assertFails(verify(forged, { trust: honest.options.trust }), "VERDICT_SIGNATURE", "LOG_KEY");
  assertHolds(verify(forged));
});

test("two trusted controllers can't finish each other's runs", (t) => {
  const root = temporaryDirectory(t);
  const other = testKey("other controller");
  const run = writeRun(join(root, "run"));
  const theirs = writeRun(join(root, "theirs"), { controllerKey: other });
  run.write("logs/controller.jsonl", theirs.read("logs/controller.jsonl"));
  run.write("logs/controller.checkpoint", theirs.read("logs/controller.checkpoint"));
  const trust = trustOf(
    controllerTrustEntry(run.controllerKey.public),
    controllerTrustEntry(other.public),
  );
  assertFails(verify(run, { trust }), "VERDICT_BINDING", "LOG_KEY");
});

test("a middle event removed and everything after it signed again fails", (t) => {
  const copy = copies(t, writeRun(temporaryDirectory(t)));
  for (const role of roles) {
    const run = copy();
    const key = role === "port" ? run.portKey : run.controllerKey;
    forgeLog(run, role, key, (records) => records.toSpliced(3, 1));
    assertFails(verify(run), role === "port" ? "COUNTERSIGN" : "LOG_TRUNCATED");
  }
  const unchanged = copy();
  forgeLog(unchanged, "port", unchanged.portKey, (records) => records);
  assertFails(verify(unchanged), "CHECKPOINT_ROOT");
});

test("the control: a log signed anew without a change keeps its root", (t) => {
  const run = copies(t, writeRun(temporaryDirectory(t), { unconcluded: true }))();
  forgeLog(run, "port", run.portKey, (records) => records);
  const report = verify(run);
  assert.deepEqual([report.integrity, report.verdict], ["intact", "INCOMPLETE"]);
});

test("a guest's PASS stays a guest's assertion, and no host fact can come from the port", (t) => {
  const root = temporaryDirectory(t);
  const claim = writeRun(join(root, "claim"), {
    events: (role, events) =>
      role === "port"
        ? [
            {
              type: "guest.report",
              measurements: { digest: `sha256:${"a".repeat(64)}`, bytes: 9 },
            },
            ...events,
          ]
        : events.filter((event) => event.type !== "attest.kernel"),
  });
  assert.equal(claim.conclusion?.verdict, "INCOMPLETE");
  assertHolds(verify(claim));
  assert.equal(verify(claim).verdict, "INCOMPLETE");

  const copy = copies(t, writeRun(join(root, "honest"), { unconcluded: true }));
  const upgrades: readonly (readonly [FindingCode, Partial<EvidenceRecord>])[] = [
    ["LOG_CLASS", { class: "HOST_OBSERVED" }],
    ["EVENT", { mechanism: "KERNEL" }],
    ["LOG_CLASS", { type: "attest.kernel", class: "HOST_OBSERVED", mechanism: "KERNEL" }],
    ["LOG_CHAIN", { role: "controller" }],
    ["EVENT", { type: "verdict.pass" }],
  ];
  for (const [code, changes] of upgrades) {
    const run = copy();
    forgeLog(run, "port", run.portKey, (records) =>
      records.map((record) => (record.type === "exec.exit" ? { ...record, ...changes } : record)),
    );
    const report = verify(run);
    assertFails(report, code);
    assert.equal(report.verdict, "INVALID", JSON.stringify(changes));
  }
});

test("a class that a key's entry doesn't list is refused, although the signature holds", (t) => {
  const run = writeRun(temporaryDirectory(t));
  const { public: key } = run.controllerKey;
  const narrowed = (changes: Parameters<typeof controllerTrustEntry>[1]) =>
    verify(run, { trust: trustOf(controllerTrustEntry(key, changes)) });
  assertHolds(narrowed({}));
  assertFails(narrowed({ classes: ["BROKER_OBSERVED", "GUEST_ASSERTED"] }), "LOG_CLASS");
  assertFails(narrowed({ classes: ["HOST_OBSERVED", "GUEST_ASSERTED"] }), "DELEGATION");
  assertFails(narrowed({ roles: ["controller"] }), "DELEGATION");
  assertFails(narrowed({ namespaces: ["log", "verdict", "journal"] }), "DELEGATION");
  assertFails(narrowed({ namespaces: ["log", "delegation"] }), "VERDICT_SIGNATURE");
  assertFails(narrowed({ namespaces: ["verdict", "delegation"] }), "LOG_KEY");
  assertFails(narrowed({ revoked: "2027-01-01T00:00:00.000Z" }), "VERDICT_SIGNATURE", "LOG_KEY");
  assertFails(narrowed({ notBefore: "2026-12-31T00:00:00.000Z" }), "VERDICT_SIGNATURE");
  assertFails(narrowed({ notAfter: "2026-11-30T10:00:00.004Z" }), "LOG_CLASS");
});

test("one key for two roles fails, delegated or listed", (t) => {
  const key = testKey("controller");
  const run = writeRun(temporaryDirectory(t), { controllerKey: key, portKey: key });
  assert.equal(run.conclusion?.verdict, "INVALID");
  assertFails(verify(run), "DELEGATION", "LOG_KEY");
});

test("a key that only the evidence names is no key", (t) => {
  const run = copies(t, writeRun(temporaryDirectory(t), { unconcluded: true }))();
  forgeLog(run, "port", testKey("mallory"), (records) => records);
  assertFails(verify(run), "LOG_KEY");
});

test("another source's manifest under the same run fails", (t) => {
  const root = temporaryDirectory(t);
  const run = writeRun(join(root, "run"));
  const other = writeRun(join(root, "other"), {
    manifest: { source: { kind: "none" } },
  });
  run.write("manifest.json", other.read("manifest.json"));
  assertFails(verify(run), "MANIFEST_DIGEST", "LOG_BINDING");
});

test("a verdict that the logs don't give fails, although its signature holds", (t) => {
  const root = temporaryDirectory(t);
  const failing = writeRun(join(root, "failing"), {
    events: (role, events) =>
      role === "controller"
        ? [{ type: "kill", decision: "survived", measurements: { reason: "test" } }, ...events]
        : events,
  });
  assert.equal(failing.conclusion?.verdict, "FAIL");
  const passing = writeRun(join(root, "passing"));
  failing.write("verdict.dsse.json", passing.read("verdict.dsse.json"));
  assertFails(verify(failing), "VERDICT_DIFFERS", "LOG_ROOT");
});

test("records after the last checkpoint are labelled and decide nothing", (t) => {
  const run = copies(t, writeRun(temporaryDirectory(t), { unconcluded: true }))();
  const notes = splitNotes(run.read("logs/controller.checkpoint").toString("utf8"));
  run.write("logs/controller.checkpoint", notes[0]?.text ?? "");
  const report = verify(run, { rederive: true });
  assertFails(report, "LOG_UNSIGNED_TAIL");
  assert.equal(report.integrity, "intact");
  const end = report.gates?.find((gate) => gate.id === "RUN-DESTROYED");
  assert.equal(end?.result, "INCOMPLETE");
});

test("byte counts that differ between the two sides of a channel fail", (t) => {
  const root = temporaryDirectory(t);
  const change = (name: string, measurements: object, decision = "equal") =>
    writeRun(join(root, name), {
      events: (role, events) =>
        role === "port"
          ? events
          : events.map((event) =>
              event.type === "channel.bytes"
                ? { ...event, decision, measurements: { ...event.measurements, ...measurements } }
                : event,
            ),
    });
  assert.equal(change("control", {}).conclusion?.verdict, "PASS");
  const said = change("said", { fromGuest: 1 }, "different");
  assert.equal(said.conclusion?.verdict, "FAIL");
  assertHolds(verify(said));
  assertFails(verify(change("hidden", { fromGuest: 1 })), "CHANNEL_BYTES");
  assertFails(verify(change("agreed", { fromGuest: 1, portFromGuest: 1 })), "CHANNEL_BYTES");
  const undeclared = writeRun(join(root, "undeclared"), {
    events: (role, events) =>
      role === "port"
        ? events
        : [
            {
              type: "channel.granted",
              measurements: { channel: "egress.0", lease: "l", generation: 1 },
            },
            ...events,
          ],
  });
  assertFails(verify(undeclared), "CHANNEL_UNSEALED");
});

test("artifacts that are changed, missing, added or listed differently fail", (t) => {
  const copy = copies(t, writeRun(temporaryDirectory(t)));
  const blob = readdirSync(join(copy().directory, "artifacts")).find((name) => name.length === 64);
  const file = `artifacts/${blob}`;
  const cases: readonly (readonly [
    (run: RunFixture) => void,
    Parameters<typeof assertFails>[1],
  ])[] = [
    [(run) => run.write(file, "TN:x"), "ARTIFACT_DIGEST"],
    [(run) => run.write(file, "TN:\nmore"), "FILE_UNSAFE"],
    [(run) => rmSync(join(run.directory, file)), "FILE_MISSING"],
    [(run) => run.write(`artifacts/${"0".repeat(64)}`, ""), "FILE_EXTRA"],
    [(run) => rmSync(join(run.directory, "artifacts/artifacts.json")), "FILE_MISSING"],
    [
      (run) =>
        run.write("artifacts/artifacts.json", '{"artifacts":[],"schema":"drydock.artifacts/v1"}'),
      "ARTIFACT_LIST",
    ],
  ];
  for (const [attack, code] of cases) {
    const run = copy();
    attack(run);
    assertFails(verify(run), code);
  }
});

test("an older checkpoint with another signature fails, before and after the verdict", (t) => {
  const root = temporaryDirectory(t);
  for (const unconcluded of [true, false]) {
    const run = writeRun(join(root, String(unconcluded)), { unconcluded });
    const file = "logs/controller.checkpoint";
    const notes = splitNotes(run.read(file).toString("utf8")).map((note) => note.text);
    const [first = "", second = "", ...rest] = notes;
    const foreign = first.split("\n\n")[0] + second.slice(second.indexOf("\n\n"));
    assert.notEqual(foreign, first);
    run.write(file, [foreign, second, ...rest].join(""));
    assertFails(verify(run), "CHECKPOINT_SIGNATURE");
    run.write(file, [second, ...rest].join(""));
    const dropped = verify(run);
    if (unconcluded) assert.equal(dropped.integrity, "intact");
    else assertFails(dropped, "CHECKPOINT_ROOT");
    run.write(file, notes.join(""));
    if (!unconcluded) assertHolds(verify(run));
  }
});
