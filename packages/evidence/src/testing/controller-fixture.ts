import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { journalWriter } from "../journal/writer.js";
import { type Event, openLog } from "../log/writer.js";
import type { Manifest } from "../manifest/manifest.js";
import { sealManifest } from "../manifest/seal.js";
import { concludeRun } from "../verdict/conclude.js";
import { testClock } from "./clock.js";
import { testKey } from "./keys.js";
import { MemoryFile } from "./memory-file.js";
import { appendAll, type EvidenceFixture, FIXTURE_NOW, TestJournal } from "./run-fixture.js";
import { controllerTrustEntry, trustOf } from "./trust.js";

/** Writes evidence that has a controller's log alone; nothing in it takes time from the real clock. */
export const writeControllerEvidence = (
  directory: string,
  manifest: Manifest,
  events: readonly Event[],
  journal = new TestJournal(),
): EvidenceFixture => {
  const key = testKey("controller");
  const sealed = sealManifest(manifest);
  const { run, created } = sealed.manifest;
  const clock = testClock(created);
  const entry = {
    ...{ run, manifest: sealed.digest, experiment: sealed.experiment },
    wall: clock.wall(),
  };
  const journaling = journalWriter(journal.read(key), key, journal);
  const { place, earlierAttempts } = journaling.sealed(entry);
  mkdirSync(join(directory, "logs"), { recursive: true });
  const write = (file: string, bytes: Uint8Array | string): void =>
    writeFileSync(join(directory, file), bytes);
  write("manifest.json", sealed.bytes);
  const files = { log: new MemoryFile(), checkpoints: new MemoryFile() };
  const writer = openLog({
    ...{ run, role: "controller", manifest: sealed.digest, key, clock },
    nonce: Buffer.from("evidence"),
    ...files,
  });
  const { index, size, root } = place;
  writer.append({ type: "journal.appended", measurements: { index, size, root } });
  appendAll(writer, events, 4);
  writer.checkpoint();
  write("logs/controller.jsonl", files.log.durable);
  write("logs/controller.checkpoint", files.checkpoints.durable);
  const conclusion = concludeRun({
    ...{ directory, sealed, key, journal: place, earlierAttempts, artifacts: null },
    now: clock.wall(),
  });
  write("verdict.dsse.json", conclusion.envelope);
  journaling.verdict({ ...entry, wall: clock.wall() }, conclusion.verdict, conclusion.statement);
  return {
    directory,
    controllerKey: key,
    journal,
    conclusion,
    options: { trust: trustOf(controllerTrustEntry(key.public)), now: FIXTURE_NOW },
    read: (file) => readFileSync(join(directory, file)),
    write,
  };
};
