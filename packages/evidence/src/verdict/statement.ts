import { FINDING_EFFECTS } from "../finding.js";
import { VERDICTS } from "../gates/gate.js";
import { canonicalBytes } from "../json/canonical.js";
import { parseCanonical } from "../json/parse-canonical.js";
import { TIERS } from "../manifest/run.js";
import { ROLES } from "../record/vocabulary.js";
import { digest, id, instant } from "../schema/common.js";
import {
  array,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  pattern,
  type Shape,
  text,
} from "../schema/reader.js";
import { earlierAttemptsReader } from "./attempts.js";

/** https://in-toto.io/Statement/v1 */
const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const VERDICT_PREDICATE_TYPE = "https://drydock.dev/verdict/v1";

const predicate = object({
  run: id,
  created: instant,
  experiment: digest,
  verdict: oneOf(VERDICTS),
  tier: nullable(oneOf(TIERS)),
  integrity: oneOf(["intact", "broken"]),
  completeness: oneOf(["complete", "incomplete"]),
  gates: array(
    object({
      id,
      result: oneOf(VERDICTS),
      evidence: array(object({ role: oneOf(ROLES), seq: integer(0) }), 512),
    }),
    256,
  ),
  findings: array(
    object({
      code: oneOf(Object.keys(FINDING_EFFECTS)),
      file: text(256, 1),
      at: nullable(text(128, 1)),
      message: text(4096),
    }),
    1024,
  ),
  earlierAttempts: earlierAttemptsReader,
  /** In the order of the roles. */
  logs: array(
    object({
      role: oneOf(ROLES),
      size: integer(0),
      root: digest,
      /** Who signed it. Says nothing about trust: that is for the reader's trust file. */
      key: nullable(digest),
      /** SHA-256 over all its checkpoints; see the format's documentation. */
      heads: digest,
    }),
    ROLES.length,
  ),
  /** Of artifacts/artifacts.json; null when nothing was collected. */
  artifacts: nullable(digest),
  journal: object({ origin: text(256, 1), index: integer(0), size: integer(1), root: digest }),
});

const statementReader = object({
  _type: literal(STATEMENT_TYPE),
  subject: array(
    object({
      name: literal("manifest.json"),
      digest: object({ sha256: pattern(/^[0-9a-f]{64}$/, "a SHA-256 in hexadecimal") }),
    }),
    1,
    1,
  ),
  predicateType: literal(VERDICT_PREDICATE_TYPE),
  predicate,
});

export type VerdictStatement = Shape<typeof statementReader>;
export type VerdictPredicate = VerdictStatement["predicate"];
export const verdictSchema = statementReader.schema;

/** @returns the canonical payload, checked against the strict parser. */
export const statementBytes = (manifest: string, verdict: VerdictPredicate): Buffer => {
  const bytes = canonicalBytes({
    _type: STATEMENT_TYPE,
    subject: [{ name: "manifest.json", digest: { sha256: manifest.slice("sha256:".length) } }],
    predicateType: VERDICT_PREDICATE_TYPE,
    predicate: verdict,
  });
  parseStatement(bytes);
  return bytes;
};

/** @throws JsonError, ShapeError */
export const parseStatement = (payload: Uint8Array): VerdictStatement =>
  statementReader.read(parseCanonical(payload), "statement");
