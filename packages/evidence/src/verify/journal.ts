import { type Finding, finding, messageOf } from "../finding.js";
import { attemptsBefore } from "../journal/attempts.js";
import { type Journal, readJournal } from "../journal/read.js";
import { canonicalise } from "../json/canonical.js";
import type { PublicKey } from "../keys/key.js";
import type { Digest } from "../schema/common.js";
import { type EarlierAttempts, summariseAttempts } from "../verdict/attempts.js";
import type { VerdictPredicate } from "../verdict/statement.js";
import type { JournalSource } from "./options.js";

export interface JournalCheck {
  readonly journal: Journal | null;
  readonly findings: readonly Finding[];
}

/** Checks that the journal is whole and that the verdict tells of it what it holds. */
export const checkJournal = (
  source: JournalSource,
  key: PublicKey,
  verdict: VerdictPredicate,
  manifest: Digest,
  statement: Digest,
): JournalCheck => {
  let journal: Journal;
  try {
    journal = readJournal(source, key);
  } catch (error) {
    return {
      journal: null,
      findings: [finding("JOURNAL_FORMAT", "journal", null, messageOf(error))],
    };
  }
  return { journal, findings: bindingFindings(journal, verdict, manifest, statement) };
};

const bindingFindings = (
  journal: Journal,
  verdict: VerdictPredicate,
  manifest: Digest,
  statement: Digest,
): readonly Finding[] => {
  const { index, size, root } = verdict.journal;
  const findings: Finding[] = [];
  const wrong = (at: string | null, what: string): void => {
    findings.push(finding("JOURNAL_BINDING", "journal", at, what));
  };
  const committed = journal.rootAt(size);
  if (committed === undefined) {
    wrong(null, `holds ${journal.entries.length} entries, the verdict saw ${size}`);
    return findings;
  }
  if (`sha256:${committed.toString("hex")}` !== root) {
    wrong(null, `has another history at size ${size} than the verdict saw`);
  }
  const entry = journal.entries[index];
  if (entry?.kind !== "sealed" || entry.run !== verdict.run || entry.manifest !== manifest) {
    wrong(`entry ${index}`, "isn't the sealing of this run");
  }
  const expected = summariseAttempts(attemptsBefore(journal.entries, verdict.experiment, index));
  if (!sameAttempts(expected, verdict.earlierAttempts)) {
    wrong(null, "holds other earlier attempts than the verdict lists");
  }
  for (const later of journal.entries.slice(index + 1)) {
    if (later.run !== verdict.run) continue;
    if (later.kind === "sealed") wrong(`entry ${later.index}`, "seals this run a second time");
    else if (later.statement !== statement) {
      wrong(`entry ${later.index}`, `enters another verdict, ${later.verdict}, for this run`);
    }
  }
  const entered = journal.entries.some(
    (later) => later.kind === "verdict" && later.run === verdict.run,
  );
  if (!entered) {
    findings.push(finding("JOURNAL_NO_VERDICT", "journal", null, "enters no verdict for this run"));
  }
  const after = journal.entries.filter(
    (later) =>
      later.index > index && later.kind === "sealed" && later.experiment === verdict.experiment,
  );
  if (after.length > 0) {
    findings.push(
      finding(
        "LATER_ATTEMPTS",
        "journal",
        null,
        `this experiment was run ${after.length} times since`,
      ),
    );
  }
  return findings;
};

const sameAttempts = (left: EarlierAttempts, right: EarlierAttempts): boolean =>
  canonicalise(left) === canonicalise(right);
