import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Conclusion,
  concludeRun,
  type Digest,
  DrydockError,
  type Event,
  type Instant,
  type Manifest,
  quote,
  sealManifest,
} from "@drydock/evidence";
import { Receipts } from "../controller/receipts.js";
import { loadControllerKey, type RunLayout, runLayout, withJournal } from "../home/index.js";
import { ensureState } from "../launcher/home.js";
import { cachedFileDigest, type Program } from "../launcher/program.js";
import { requireSpace, type StateDirectories } from "../state/index.js";
import { claimEvidence, releaseClaim } from "./owner.js";

/** Where evidence of something that is no run comes to be, and by which program. */
export interface EvidencePlace {
  readonly directories: StateDirectories;
  readonly program: Pick<Program, "version" | "digest">;
  /** A new directory; null: one under the state directory, as of a run. */
  readonly directory: string | null;
}

/** What every manifest says of its making. */
export type Sealing = Pick<Manifest, "run" | "created" | "build">;

/** Evidence that one process writes alone, from the sealed manifest to the verdict. */
interface ClaimedEvidence {
  readonly run: string;
  readonly created: Instant;
  readonly place: RunLayout;
  /** @throws DrydockError EVENT_… when an event isn't what its type asks for */
  record(event: Event): void;
  /** Makes what was recorded durable, and signs it. */
  checkpoint(): void;
  /**
   * The last record, the verdict that follows from all, and its place in the journal.
   *
   * @param artifacts digest of `artifacts.json`; null where there is none
   */
  conclude(ending: "completed" | "stopped", artifacts: Digest | null): Promise<Conclusion>;
}

const clock = {
  source: "linux.realtime-monotonic",
  wall: () => new Date().toISOString(),
  monotonicUs: () => Number(process.hrtime.bigint() / 1000n),
};

/**
 * Seals the inputs and enters them in the journal; only then may anything be changed, so that
 * nothing can be tried in secret.
 *
 * @param kind begins the name
 * @throws DrydockError NOT_ROOT, STATE_…, EVIDENCE_EXISTS, JOURNAL_FORMAT
 */
export const openEvidence = async <M extends Manifest>(
  kind: "acceptance" | "boundary",
  { directories, program, directory }: EvidencePlace,
  manifestOf: (sealing: Sealing) => M,
): Promise<ClaimedEvidence> => {
  const created = clock.wall();
  requireSpace(directories.state);
  const { layout } = await ensureState(directories.state, new Date(created));
  const key = loadControllerKey(layout);
  const stamp = created.replace(/[-:]|\.\d+/g, "");
  const run = `${kind}-${stamp}-${randomBytes(5).toString("hex")}`;
  const place = runLayout(directory ?? join(layout.runs, run));
  makeDirectory(place.directory);
  // Before anything is sealed: what dies from here on is found, and told of.
  claimEvidence(layout, run, resolve(place.directory));
  mkdirSync(place.logs, { mode: 0o700 });
  const build = {
    version: program.version,
    drydock: program.digest(),
    native: null,
    node: {
      version: process.version,
      digest: await cachedFileDigest(process.execPath, join(directories.cache, "digests")),
    },
  };
  const sealed = sealManifest(manifestOf({ run, created, build }));
  const entry = { run, manifest: sealed.digest, experiment: sealed.experiment, wall: created };
  const entered = await withJournal(layout, key, (journal) => journal.sealed(entry));
  const receipts = new Receipts(sealed, {
    ...{ run, layout: place, key, clock },
    nonce: randomBytes(8),
  });
  const { index, size, root } = entered.place;
  receipts.record({ type: "journal.appended", measurements: { index, size, root } });
  receipts.checkpoint();
  return {
    run,
    created,
    place,
    record: (event) => receipts.record(event),
    checkpoint: () => receipts.checkpoint(),
    conclude: async (ending, artifacts) => {
      receipts.record({ type: "run.end", decision: ending, measurements: { exit: { ending } } });
      receipts.checkpoint();
      receipts.close();
      const conclusion = concludeRun({
        directory: place.directory,
        sealed,
        key,
        journal: entered.place,
        earlierAttempts: entered.earlierAttempts,
        artifacts,
        now: clock.wall(),
      });
      const { verdict, statement, envelope } = conclusion;
      // The journal first: a verdict that the journal doesn't know must not exist.
      await withJournal(layout, key, (journal) =>
        journal.verdict({ ...entry, wall: clock.wall() }, verdict, statement),
      );
      writeFileSync(place.verdict, envelope, { mode: 0o600, flag: "wx" });
      releaseClaim(layout, run);
      return conclusion;
    },
  };
};

const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    throw new DrydockError("EVIDENCE_EXISTS", `${quote(path)} can't be made`, {
      fix: "Name a directory that isn't there yet, in one that is.",
      cause,
    });
  }
};
