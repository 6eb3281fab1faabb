import { digestOf } from "../digest/digest.js";
import { DrydockError } from "../errors.js";
import type { Attempt } from "../journal/attempts.js";
import type { JournalPlace } from "../journal/writer.js";
import type { SigningKey } from "../keys/key.js";
import { NAMESPACES } from "../keys/sign.js";
import type { SealedManifest } from "../manifest/seal.js";
import { ROLES, WITNESS_CLASSES } from "../record/vocabulary.js";
import { openRunDirectory } from "../run/directory.js";
import { inspectRun } from "../run/inspect-run.js";
import type { Digest, Instant } from "../schema/common.js";
import type { Authority } from "../trust/trust.js";
import { type DerivedVerdict, VerdictFold } from "./derive.js";
import { signEnvelope } from "./dsse.js";
import { statementBytes } from "./statement.js";

const MAX_FINDINGS = 1024;

export interface ConcludeOptions {
  /** The run directory, all logs closed. */
  readonly directory: string;
  readonly sealed: SealedManifest;
  /** The controller's key. */
  readonly key: SigningKey;
  readonly journal: JournalPlace;
  readonly earlierAttempts: readonly Attempt[];
  /** Of artifacts/artifacts.json; null when there is none. */
  readonly artifacts: Digest | null;
  readonly now: Instant;
}

export interface Conclusion extends DerivedVerdict {
  /** Contents of `verdict.dsse.json`. */
  readonly envelope: Buffer;
  /** Digest of the signed payload, for the journal. */
  readonly statement: Digest;
}

/**
 * The controller's last act: reads the logs back from disk the way `verify` will, derives the
 * verdict and signs it. What it signs is what is there, not what it remembers.
 */
export const concludeRun = (options: ConcludeOptions): Conclusion => {
  const { manifest, digest: manifestDigest, experiment } = options.sealed;
  const fold = new VerdictFold(manifest);
  const inspection = inspectRun({
    directory: openRunDirectory(options.directory),
    manifest,
    manifestDigest,
    authorities: [ownAuthority(options.key)],
    rootsAt: () => [],
    heads: () => null,
    fold,
  });
  if (inspection.logs.length === 0) {
    throw new DrydockError("RUN_DIRECTORY", `${options.directory} holds no logs`);
  }
  const derived = fold.finish({
    logs: inspection.logs,
    earlierAttempts: options.earlierAttempts,
    findings: inspection.findings,
  });
  const payload = statementBytes(manifestDigest, {
    run: manifest.run,
    created: options.now,
    experiment,
    verdict: derived.verdict,
    tier: derived.tier,
    integrity: derived.integrity,
    completeness: derived.completeness,
    gates: derived.gates,
    findings: derived.findings.slice(0, MAX_FINDINGS),
    earlierAttempts: derived.earlierAttempts,
    logs: inspection.logs.map((log) => ({
      role: log.role,
      size: log.size,
      root: `sha256:${log.root.toString("hex")}`,
      key: log.authority?.key.keyId ?? null,
      heads: log.heads,
    })),
    artifacts: options.artifacts,
    journal: options.journal,
  });
  return {
    ...derived,
    envelope: signEnvelope(payload, options.key),
    statement: digestOf(payload),
  };
};

/** For itself the controller needs no trust file; what it may claim to others is up to theirs. */
const ownAuthority = (key: SigningKey): Authority => ({
  key: key.public,
  roles: ROLES,
  classes: WITNESS_CLASSES,
  namespaces: NAMESPACES,
  notBefore: "0000-01-01T00:00:00.000Z",
  notAfter: "9999-12-31T23:59:59.999Z",
  revoked: null,
});
