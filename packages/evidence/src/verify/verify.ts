import { digestOf } from "../digest/digest.js";
import { isDrydockError } from "../errors.js";
import { type Finding, finding, hasEffect, messageOf } from "../finding.js";
import { worstOf } from "../gates/evaluate.js";
import { MAX_MANIFEST_BYTES, type Manifest, parseManifest } from "../manifest/manifest.js";
import { ROLES } from "../record/vocabulary.js";
import { openRunDirectory, type RunDirectory } from "../run/directory.js";
import { inspectRun, type RunInspection } from "../run/inspect-run.js";
import {
  checkpointFile,
  INCOMPLETE_FILE,
  LOGS_FOLDER,
  logFile,
  MANIFEST_FILE,
  VERDICT_FILE,
} from "../run/layout.js";
import type { Digest } from "../schema/common.js";
import { type DerivedVerdict, VerdictFold } from "../verdict/derive.js";
import { checkExpected, expectedSizes, isWitnessed, parseExpected } from "./anchor.js";
import { artifactFindings, extra, missing } from "./artifacts.js";
import { bindingFindings } from "./binding.js";
import { checkJournal } from "./journal.js";
import type { VerifyOptions, VerifyReport } from "./options.js";
import { rederivationFindings } from "./rederive.js";
import { isMarkedIncomplete, type OpenedVerdict, openVerdict } from "./signed-verdict.js";
import { unsealedReport } from "./unsealed.js";

/**
 * Verifies one run directory, which may come from anyone: it needs neither network nor anything
 * of the machine that ran the trial, and believes no key that the trust file doesn't reach.
 *
 * The order is: who signed → form → digests → chains → witness classes → the approved inputs →
 * completeness → the verdict derived again.
 *
 * @throws DrydockError RUN_DIRECTORY when `path` is no directory, NOTE_FORMAT or
 *   CHECKPOINT_FORMAT when `expect` is no checkpoint. Whatever is wrong *inside* the directory is
 *   a finding.
 */
export const verifyRun = (path: string, options: VerifyOptions): VerifyReport => {
  const directory = openRunDirectory(path);
  const expected = options.expect === undefined ? null : parseExpected(options.expect);
  try {
    return new Verification(directory, options, expected).report();
  } catch (error) {
    // The only error that reading the directory may throw; it names file and reason.
    if (!isDrydockError(error) || error.code !== "FILE_UNSAFE") throw error;
    return broken(null, [finding("FILE_UNSAFE", ".", null, error.message)]);
  }
};

const broken = (run: string | null, findings: readonly Finding[]): VerifyReport => ({
  ok: false,
  integrity: "broken",
  completeness: "incomplete",
  anchored: false,
  verdict: "INVALID",
  run,
  findings,
});

class Verification {
  readonly #directory: RunDirectory;
  readonly #options: VerifyOptions;
  readonly #expected: ReturnType<typeof parseExpected> | null;
  readonly #findings: Finding[] = [];

  constructor(
    directory: RunDirectory,
    options: VerifyOptions,
    expected: ReturnType<typeof parseExpected> | null,
  ) {
    this.#directory = directory;
    this.#options = options;
    this.#expected = expected;
  }

  report(): VerifyReport {
    const unsealed = unsealedReport(this.#directory);
    if (unsealed !== null) return unsealed;
    const verdict = this.#openVerdict();
    const sealed = this.#readManifest(verdict);
    if (sealed === null) return broken(null, this.#findings);
    const { manifest, digest } = sealed;
    const { inspection, fold } = this.#inspectLogs(manifest, digest, verdict);
    this.#checkFiles(verdict, inspection);
    const attempts = verdict?.statement.predicate.earlierAttempts;
    const derived = fold.finish({
      logs: inspection.logs,
      earlierAttempts: [],
      findings: inspection.findings,
    });
    const anchored = this.#checkVerdict(verdict, manifest, digest, inspection, derived);
    if (attempts !== undefined && attempts.total > 0) {
      const { total, counts } = attempts;
      this.#findings.push(
        finding(
          "EARLIER_ATTEMPTS",
          VERDICT_FILE,
          null,
          `runs of this experiment before it: ${total}, of them ${Object.entries(counts)
            .filter(([, count]) => count > 0)
            .map(([name, count]) => `${count} ${name}`)
            .join(", ")}`,
        ),
      );
    }
    return this.#conclude(manifest, derived, anchored);
  }

  #openVerdict(): OpenedVerdict | null {
    const opened = openVerdict(this.#directory, this.#options);
    if (!("code" in opened)) return opened;
    this.#findings.push(opened);
    return null;
  }

  #readManifest(verdict: OpenedVerdict | null): { manifest: Manifest; digest: Digest } | null {
    const bytes = this.#directory.read(MANIFEST_FILE, MAX_MANIFEST_BYTES);
    if (bytes === null) {
      this.#findings.push(missing(MANIFEST_FILE));
      return null;
    }
    const digest = digestOf(bytes);
    const committed = verdict?.statement.subject[0]?.digest.sha256;
    if (committed !== undefined && digest !== `sha256:${committed}`) {
      this.#findings.push(
        finding("MANIFEST_DIGEST", MANIFEST_FILE, null, "isn't the manifest of this verdict"),
      );
    }
    try {
      return { manifest: parseManifest(bytes), digest };
    } catch (error) {
      this.#findings.push(finding("MANIFEST_FORMAT", MANIFEST_FILE, null, messageOf(error)));
      return null;
    }
  }

  #inspectLogs(
    manifest: Manifest,
    manifestDigest: Digest,
    verdict: OpenedVerdict | null,
  ): { inspection: RunInspection; fold: VerdictFold } {
    const fold = new VerdictFold(manifest);
    const sizes = expectedSizes(this.#expected, manifest.run);
    const inspection = inspectRun({
      directory: this.#directory,
      manifest,
      manifestDigest,
      authorities: this.#options.trust.authorities.filter(
        (item) => item.notBefore <= this.#options.now,
      ),
      rootsAt: (role) => {
        const size = sizes.get(role);
        return size === undefined ? [] : [size];
      },
      heads: (role) =>
        verdict?.statement.predicate.logs.find((log) => log.role === role)?.heads ?? null,
      fold,
    });
    return { inspection, fold };
  }

  /** Every file in the directory is one that something signed covers. */
  #checkFiles(verdict: OpenedVerdict | null, inspection: RunInspection): void {
    const logged = inspection.artifactsRecord?.measurements["artifacts"];
    const fromLog = typeof logged === "string" ? logged : null;
    const committed = verdict === null ? fromLog : verdict.statement.predicate.artifacts;
    if (verdict !== null && committed !== fromLog) {
      this.#findings.push(
        finding("VERDICT_BINDING", VERDICT_FILE, "artifacts", "isn't the list of the log"),
      );
    }
    this.#findings.push(...artifactFindings(this.#directory, committed, verdict !== null));
    const root = new Set([MANIFEST_FILE, VERDICT_FILE, INCOMPLETE_FILE, LOGS_FOLDER, "artifacts"]);
    const logs = new Set(
      ROLES.flatMap((role) => [logFile(role), checkpointFile(role)]).map((file) =>
        file.slice(LOGS_FOLDER.length + 1),
      ),
    );
    for (const [folder, known] of [
      ["", root],
      [LOGS_FOLDER, logs],
    ] as const) {
      const unknown = (this.#directory.list(folder) ?? []).filter((name) => !known.has(name));
      this.#findings.push(...unknown.slice(0, 16).map((name) => extra(folder, name)));
    }
    if (isMarkedIncomplete(this.#directory)) {
      this.#findings.push(
        finding("RUN_MARKED_INCOMPLETE", INCOMPLETE_FILE, null, "the run was given up"),
      );
    }
  }

  #checkVerdict(
    verdict: OpenedVerdict | null,
    manifest: Manifest,
    digest: Digest,
    inspection: RunInspection,
    derived: DerivedVerdict,
  ): boolean {
    const { journal: source } = this.#options;
    const predicate = verdict?.statement.predicate ?? null;
    let journal: ReturnType<typeof checkJournal>["journal"] = null;
    if (verdict !== null && predicate !== null) {
      this.#findings.push(
        ...bindingFindings(
          predicate,
          verdict.signer,
          manifest,
          inspection.logs,
          inspection.journalRecord,
        ),
        ...rederivationFindings(predicate, derived),
      );
      if (source !== undefined) {
        const { key } = verdict.signer;
        const checked = checkJournal(source, key, predicate, digest, verdict.digest);
        journal = checked.journal;
        this.#findings.push(...checked.findings);
      }
    }
    if (this.#expected === null) return isWitnessed(inspection.logs);
    const anchor = checkExpected(this.#expected, manifest.run, inspection.logs, predicate, journal);
    this.#findings.push(...anchor.findings);
    return anchor.anchored || isWitnessed(inspection.logs);
  }

  #conclude(manifest: Manifest, derived: DerivedVerdict, anchored: boolean): VerifyReport {
    if (!anchored) {
      this.#findings.push(
        finding("NOT_ANCHORED", ".", null, "no head kept elsewhere vouches for this run"),
      );
    }
    const findings = [...this.#findings, ...derived.findings];
    const intact = !hasEffect(findings, "integrity");
    const complete = !hasEffect(findings, "completeness");
    return {
      ok: intact && complete,
      integrity: intact ? "intact" : "broken",
      completeness: complete ? "complete" : "incomplete",
      anchored,
      verdict: worstOf([
        derived.verdict,
        ...(intact ? [] : (["INVALID"] as const)),
        ...(complete ? [] : (["INCOMPLETE"] as const)),
      ]),
      run: manifest.run,
      ...(this.#options.rederive === true ? { gates: derived.gates } : {}),
      findings,
    };
  }
}
