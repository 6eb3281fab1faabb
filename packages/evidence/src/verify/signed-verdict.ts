import { digestOf } from "../digest/digest.js";
import { isDrydockError } from "../errors.js";
import { type Finding, finding, messageOf } from "../finding.js";
import { openRunDirectory, type RunDirectory } from "../run/directory.js";
import { INCOMPLETE_FILE, VERDICT_FILE } from "../run/layout.js";
import type { Digest, Instant } from "../schema/common.js";
import { maySign } from "../trust/may-sign.js";
import type { Authority, Trust } from "../trust/trust.js";
import { MAX_ENVELOPE_BYTES, openEnvelope } from "../verdict/dsse.js";
import { parseStatement, type VerdictStatement } from "../verdict/statement.js";

export interface OpenedVerdict {
  readonly statement: VerdictStatement;
  readonly digest: Digest;
  readonly signer: Authority;
}

/** Who signed the verdict, against the trust file; then the payload's form. */
export const openVerdict = (
  directory: RunDirectory,
  { trust, now }: { readonly trust: Trust; readonly now: Instant },
): OpenedVerdict | Finding => {
  const bytes = directory.read(VERDICT_FILE, MAX_ENVELOPE_BYTES);
  if (bytes === null) {
    return finding("VERDICT_MISSING", VERDICT_FILE, null, "no verdict was signed");
  }
  const candidates = trust.authorities.filter((item) =>
    maySign(item, "verdict", "controller", now),
  );
  try {
    const { payload, signer } = openEnvelope(bytes, candidates);
    return { statement: parseStatement(payload), digest: digestOf(payload), signer };
  } catch (error) {
    const code =
      isDrydockError(error) && error.code === "DSSE_SIGNATURE"
        ? "VERDICT_SIGNATURE"
        : "VERDICT_FORMAT";
    return finding(code, VERDICT_FILE, null, messageOf(error));
  }
};

/** Whether whoever cleaned up after a run has given it up. */
export const isMarkedIncomplete = (directory: RunDirectory): boolean =>
  directory.list("")?.includes(INCOMPLETE_FILE) === true;

/**
 * The verdict that a run's controller has signed and nobody has given up since; null when there is
 * none. Only what the controller wrote is read: a log holds words of the guest, and whoever asks
 * may be root. `verifyRun` derives the same verdict again from the logs, or says that it can't.
 *
 * @throws DrydockError RUN_DIRECTORY, FILE_UNSAFE
 */
export const concludedVerdict = (
  path: string,
  options: { readonly trust: Trust; readonly now: Instant },
): Pick<VerdictStatement["predicate"], "verdict" | "findings"> | null => {
  const directory = openRunDirectory(path);
  const opened = openVerdict(directory, options);
  if ("code" in opened || isMarkedIncomplete(directory)) return null;
  const { verdict, findings } = opened.statement.predicate;
  return { verdict, findings };
};
