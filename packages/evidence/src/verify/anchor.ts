import { type Finding, finding } from "../finding.js";
import type { Journal } from "../journal/read.js";
import { logOrigin, parseCheckpoint, type SignedCheckpoint } from "../log/checkpoint.js";
import type { LogInspection } from "../log/inspect.js";
import { ROLES } from "../record/vocabulary.js";
import type { VerdictPredicate } from "../verdict/statement.js";

export interface Anchor {
  readonly anchored: boolean;
  readonly findings: readonly Finding[];
}

const UNCHECKED: Anchor = { anchored: false, findings: [] };
const HELD: Anchor = { anchored: true, findings: [] };

/** Reads what `--expect` names. @throws DrydockError when it is no checkpoint */
export const parseExpected = (text: string): SignedCheckpoint =>
  parseCheckpoint(text.endsWith("\n") ? text : `${text}\n`);

/** Sizes of `role`'s log at which the expected checkpoint wants a root. */
export const expectedSizes = (
  expected: SignedCheckpoint | null,
  run: string,
): ReadonlyMap<string, number> =>
  new Map(
    ROLES.filter((role) => expected?.origin === logOrigin(run, role)).map((role) => [
      role,
      expected?.size ?? 0,
    ]),
  );

/**
 * Compares with a head that was kept elsewhere. Its signature isn't asked for: whoever kept it
 * vouches for it. Only a head that covers this whole run anchors it.
 */
export const checkExpected = (
  expected: SignedCheckpoint,
  run: string,
  logs: readonly LogInspection[],
  verdict: VerdictPredicate | null,
  journal: Journal | null,
): Anchor => {
  const log = logs.find((item) => logOrigin(run, item.role) === expected.origin);
  if (log !== undefined) return againstLog(expected, log);
  if (verdict !== null && expected.origin === verdict.journal.origin) {
    return againstJournal(expected, verdict, journal);
  }
  return mismatch(
    `is of ${JSON.stringify(expected.origin)}, which is neither a log of this run nor its journal`,
  );
};

const againstLog = (expected: SignedCheckpoint, log: LogInspection): Anchor => {
  const root = log.rootAt(expected.size);
  if (root === undefined) {
    return mismatch(`knows ${expected.size} records of ${log.role}, the log holds ${log.size}`);
  }
  if (!root.equals(expected.root)) return mismatch(`knows another ${log.role} log`);
  return expected.size === log.size ? HELD : unchecked("covers only the beginning of the log");
};

const againstJournal = (
  expected: SignedCheckpoint,
  verdict: VerdictPredicate,
  journal: Journal | null,
): Anchor => {
  const { size, root } = verdict.journal;
  if (expected.size === size) {
    return `sha256:${expected.root.toString("hex")}` === root
      ? HELD
      : mismatch("knows another journal than the verdict");
  }
  if (journal === null) return unchecked("is of another size; the journal is needed to compare");
  const found = journal.rootAt(expected.size);
  if (found === undefined) {
    return mismatch(`knows ${expected.size} entries, the journal holds ${journal.entries.length}`);
  }
  if (!found.equals(expected.root)) return mismatch("knows another journal");
  return expected.size > size ? HELD : unchecked("is older than this run");
};

/** A trusted witness cosigned the controller's whole log. */
export const isWitnessed = (logs: readonly LogInspection[]): boolean =>
  logs.some((log) => log.role === "controller" && log.witnessed);

const mismatch = (what: string): Anchor => ({
  anchored: false,
  findings: [finding("EXPECT_MISMATCH", "expect", null, `the expected checkpoint ${what}`)],
});

const unchecked = (what: string): Anchor => ({
  ...UNCHECKED,
  findings: [finding("EXPECT_UNCHECKED", "expect", null, `the expected checkpoint ${what}`)],
});
