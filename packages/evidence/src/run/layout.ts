import type { Role } from "../record/vocabulary.js";

/** Names in a run directory, format version 1. */
export const MANIFEST_FILE = "manifest.json";
/** What a broker on its own was granted; its log has no manifest to lie beside. */
export const STANDALONE_POLICY_FILE = "policy.json";
export const VERDICT_FILE = "verdict.dsse.json";
export const ARTIFACTS_FILE = "artifacts/artifacts.json";
/** Left by whoever cleaned up after a dead controller. Unsigned: it can only lower a verdict. */
export const INCOMPLETE_FILE = "incomplete.json";
export const LOGS_FOLDER = "logs";
export const ARTIFACTS_FOLDER = "artifacts";

export const logFile = (role: Role): string => `${LOGS_FOLDER}/${role}.jsonl`;
export const checkpointFile = (role: Role): string => `${LOGS_FOLDER}/${role}.checkpoint`;
